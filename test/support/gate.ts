/** Something to wait for until `open` is called. */
export type Gate = { opened: Promise<void>; open(): void };

/** Creates a closed gate. */
export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
