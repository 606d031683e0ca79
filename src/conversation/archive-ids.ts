const MARK = 'i:';

/**
 * The id of an imported message in the session that takes it in: its own where the session it is from is the same, so that
 * later edits and deletions reach it, else one that no platform gives, so that it is not looked for there. An id that was
 * marked by an earlier import keeps its mark, and loses it back home.
 */
export function importedId(id: string, from: string, into: string): string {
  const marked = isForeign(id) ? id : `${MARK}${encodeURIComponent(from.toWellFormed())}/${id}`;
  const home = `${MARK}${encodeURIComponent(into)}/`;
  return marked.startsWith(home) ? marked.slice(home.length) : marked;
}

/** Whether an id is of a message that was said in another session, and imported. */
export function isForeign(id: string): boolean {
  return id.startsWith(MARK) && id.includes('/');
}

/** The id that a message has where it was said. */
export function homeId(id: string): string {
  return isForeign(id) ? id.slice(id.indexOf('/') + 1) : id;
}
