/** A number as people read it: `12,000`. */
export const formatNumber = (value: number) => value.toLocaleString('en-US');

/** A count with its English noun. */
const plural = (count: number, one: string, many = `${one}s`) => `${formatNumber(count)} ${count === 1 ? one : many}`;

/** A time in UTC to the minute: `2026-08-01 09:30`. */
export const formatMinute = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

/** English: the catalogue that the others are held to. Times are milliseconds since 1970 and shown in UTC. */
export const en = {
  commands: {
    'memory strategy buffer': 'Remember all of the conversation, up to a ceiling of tokens',
    'memory strategy window': 'Remember the newest k messages or turns',
    'memory strategy token-buffer': 'Remember the newest messages that fit a number of tokens',
    'memory strategy summary': 'Fold everything into a summary after each answer',
    'memory strategy summary-buffer': 'Remember the newest messages and a summary of the older ones',
    'memory strategy inherit': 'Go by what the wider scope has set',
    'memory show': 'Show exactly what the next request would carry',
    'memory summarize': 'Fold older messages into the summary now',
    'memory forget': 'Forget this conversation, what you said in it, or its newest turn',
    'memory export': 'Save this memory as two files: one to import, one to read',
    'memory import': 'Take over a memory from a file, where nothing is remembered yet',
    'settings show': 'Show the settings in force here, and where each was set',
    'settings persona': 'Say who the bot is to be (opens a form)',
    'settings model': 'Choose the model that answers',
    'settings temperature': 'How freely answers are worded: 0 is plain, 2 is wild',
    'settings listen': 'What is remembered: what is addressed to the bot, or all talk',
    'settings respond': 'What is answered: what is addressed to the bot, or everything',
    'settings vision': 'Whether pictures in a question are shown to the model',
    'settings language': 'The language of menus and notices',
    'settings reset': 'Remove settings, so that the wider scope or the default holds again',
    chat: 'Talk with the bot, also where it cannot read messages',
    'budget show': 'How much of today’s tokens is used, by you and by the server',
    'budget set': 'Set how many tokens a day the server and each person may use',
    'budget reset': 'Remove the limits that this server has set',
    usage: 'What was used, by person, channel or day',
    privacy: 'What is stored about you, and how to export it, erase it or opt out',
    help: 'List the commands',
  },
  groups: {
    budget: 'How many tokens a day may be used',
    memory: 'How this conversation is remembered',
    'memory strategy': 'Choose how this conversation is remembered',
    settings: 'How the bot behaves here',
  },
  options: {
    server_tokens: 'Tokens a day for the whole server',
    person_tokens: 'Tokens a day for each person',
    by: 'What to sum up by',
    days: 'How many days to look back',
    max_tokens: 'Tokens at most',
    k: 'How many; 0 and 1 carry nothing but the question',
    unit: 'Whether k counts messages or turns',
    max_summary_tokens: 'Length of the summary in tokens',
    keep_tokens: 'Tokens that stay word for word after a fold',
    max_messages: 'Fold when there are more messages than this',
    keep_messages: 'Messages that stay word for word after a fold',
    scope: 'Whom it is for: the whole server, or this channel or thread',
    what: 'What to forget',
    model: 'One of the models that the owner allows',
    temperature: 'A number from 0 to 2',
    listen: 'What is remembered',
    respond: 'What is answered',
    vision: 'On or off',
    language: "A language, or auto for each person's own",
    setting: 'Which setting to remove',
    message: 'What you want to say',
    file: 'A file that /memory export has written',
  },
  choices: {
    person: 'person',
    day: 'day',
    messages: 'messages',
    turns: 'turns',
    server: 'server',
    channel: 'channel',
    session: 'session',
    me: 'me',
    last: 'last',
    addressed: 'addressed',
    all: 'all',
    always: 'always',
    on: 'on',
    off: 'off',
    auto: 'auto',
    en: 'English',
    'zh-CN': '简体中文',
    'zh-TW': '繁體中文',
    persona: 'persona',
    model: 'model',
    temperature: 'temperature',
    listen: 'listen',
    respond: 'respond',
    vision: 'vision',
    language: 'language',
    everything: 'everything',
  },
  origins: { here: 'set here', channel: 'set in the channel', server: 'set for the server', default: 'default' },
  terminalOrigins: { here: 'set for this session', channel: '', server: 'set for all sessions', default: 'default' },
  quit: 'Leave the chat',
  load: (messages: number, tokens: number) => `${plural(messages, 'message')}, ${plural(tokens, 'token')}`,
  strategyChanged: (before: string, after: string) => `The next request would carry ${after} (before: ${before}).`,
  strategyNow: (strategy: string, origin: string) => `Remembered now: ${strategy} (${origin}).`,
  strategyHidden: {
    savedForAll: (strategy: string) => `Saved for all sessions: ${strategy}.`,
    savedForServer: (strategy: string) => `Saved for the server: ${strategy}.`,
    removedForAll: 'Removed for all sessions.',
    session: (strategy: string) =>
      `Here the session's own setting ${strategy} still counts; /memory strategy inherit scope:channel removes it.`,
    here: (strategy: string) =>
      `Here the own setting of this channel or thread, ${strategy}, still counts; /memory strategy inherit scope:channel removes it.`,
    channel: (strategy: string) =>
      `Here the channel's own setting ${strategy} still counts; /memory strategy inherit scope:channel, given in the channel, removes it.`,
  },
  strategyBefore: (strategy: string) => `Before: ${strategy}.`,
  carriesNothing: 'With this k the model sees nothing but the question.',
  report: {
    title: (session: string) => `Memory of ${session}`,
    heading: 'What I remember here',
    strategy: 'strategy',
    model: 'model',
    stored: 'stored',
    summary: 'summary',
    folding: 'folding',
    note: 'note',
    context: 'context, in tokens',
    modelWindow: (model: string, window: number) => `${model}, ${plural(window, 'token')} of context`,
    parts: {
      persona: 'persona',
      summary: 'summary',
      messages: 'messages',
      answer: 'answer',
      safety: 'margin',
      free: 'free',
    },
    gauge: (window: number) => `Gauge of the context of ${plural(window, 'token')}`,
    messagesSent: (count: number) => plural(count, 'message'),
    storedUnseen: (stored: number, unseen: number) =>
      unseen === 0
        ? `${plural(stored, 'message')}; the model sees all of them`
        : `${plural(stored, 'message')}; ${formatNumber(unseen)} of them the model no longer sees word for word`,
    covers: (from: number, through: number, model: string) =>
      `covers ${formatMinute(from)} to ${formatMinute(through)} UTC, written by ${model}`,
    noSummary: 'none yet',
    notSent: 'not used by this strategy',
    rebuilding: 'The summary is being rebuilt, since something it covered was edited or erased.',
    limitedByBudget: "The model's context window leaves no room for all that the strategy would send.",
    cutByRetention: (days: number) => `Older messages were deleted after ${plural(days, 'day')} and cannot be sent.`,
    listeningToAll: 'All talk here is remembered (listen:all), not only what is addressed to me.',
    cut: '… (cut here)',
  },
  fold: {
    idle: 'nothing to fold',
    queued: 'a fold is waiting',
    running: 'a fold is running',
    'waiting-to-retry': 'the last fold failed, nothing was lost',
    retryAt: (at: number, failures: number) => `next try ${formatMinute(at)} UTC after ${plural(failures, 'failure')}`,
  },
  summarized: (folds: number) =>
    folds === 0 ? 'There is nothing to fold.' : `Folded into the summary (${plural(folds, 'call')}).`,
  notSummarizing: (strategy: string) => `${strategy} keeps no summary, so nothing was changed.`,
  forgotten: {
    rows: (messages: number, answers: number) =>
      `Forgotten: ${plural(messages, 'message')} and ${plural(answers, 'answer')}.`,
    summary: {
      none: '',
      erased: 'The summary is erased.',
      rebuilding: 'The summary is being written anew without them.',
      rewritten: 'The summary was written anew without them.',
      dropped: 'The summary could not be written anew without them, so it is dropped.',
    },
  },
  forget: {
    confirm: {
      session: 'Forget everything that was said here, with the summary? This cannot be undone.',
      me: 'Forget all that you said here, and every answer to a turn you were in? This cannot be undone.',
      last: 'Forget the newest turn here, its question and its answer? This cannot be undone.',
      person: (place: string) => `Erase all that you said in ${place}, with the answers to it? This cannot be undone.`,
    },
    yes: 'Forget',
    no: 'Keep',
    kept: 'Nothing was forgotten.',
    nothing: 'There was nothing to forget.',
    lastIsOthers: (right: string) =>
      `The newest turn is not yours, or there is none. Forgetting somebody else's needs the right “${right}” here.`,
  },
  archive: {
    title: (session: string) => `Memory of ${session}`,
    exported: (time: string, strategy: string) => `Exported ${time}; remembered with the strategy ${strategy}.`,
    summary: (from: string, through: string, model: string) => `Summary of ${from} to ${through}, written by ${model}`,
    bot: 'Keepsake',
    sent: (messages: number) =>
      `Here is this memory: ${plural(messages, 'message')}. /memory import takes the .jsonl file.`,
    nothing: 'Nothing is remembered here, so there is nothing to export.',
    tooLarge: "This memory is too large for a file here; the bot's owner can run “npm run export”.",
    imported: (messages: number, summaries: number) =>
      `Imported: ${plural(messages, 'message')} and ${plural(summaries, 'summary', 'summaries')}.`,
    leftOut: (messages: number) =>
      `Left out: ${plural(messages, 'message')}, erased here before or said by somebody who has opted out.`,
    strategyWas: (strategy: string) => `It was remembered with: ${strategy}. The strategy here is unchanged.`,
    occupied:
      'Something is remembered here already, and an import never overwrites; use an empty channel, or /memory forget first.',
    unread: (megabytes: number) => `The file could not be read; it must be there and have at most ${megabytes} MB.`,
  },
  buttons: {
    expired: 'This button has expired; give the command again.',
    notYours: 'This button belongs to somebody else; give the command yourself.',
    unknown: 'I do not know this button or command any more; type / for those that I know.',
  },
  rights: {
    ManageGuild: 'Manage Server',
    ManageChannels: 'Manage Channels',
    ManageThreads: 'Manage Threads',
    ViewChannel: 'View Channel',
    ReadMessageHistory: 'Read Message History',
  },
  refusals: {
    needsRight: (right: string) => `You need the right “${right}” here to do this; ask somebody who has it.`,
    needsServerRight: (right: string) =>
      `For the whole server you need the right “${right}”. With scope:channel you can change it for here alone.`,
    noServer: 'This is a direct message, which belongs to no server; leave scope out, or use scope:channel.',
    modelNotAllowed: (models: string) => `This model is not allowed here; choose one of: ${models}.`,
    needsMessageContent: (setting: string) =>
      `${setting} needs to read all messages. The bot's owner must switch on “Message Content Intent” in Discord's Developer Portal (Bot, Privileged Gateway Intents), set MESSAGE_CONTENT=1 and start the bot again.`,
  },
  settings: {
    heading: 'Settings in force here',
    strategy: 'strategy',
    saved: { server: 'Saved for the server.', channel: 'Saved for here.' },
    removed: { server: 'Removed for the server.', channel: 'Removed for here.' },
    inForce: (name: string, value: string, origin: string) => `In force here: ${name} ${value} (${origin}).`,
    listeningToAll: 'From now on I remember all talk here, not only what is addressed to me. /privacy tells more.',
  },
  persona: {
    title: 'Persona',
    label: 'Who is the bot to be?',
    placeholder: 'You are …',
    empty: 'The persona is empty; write one, or remove it with /settings reset.',
    tooLong: (length: number, most: number) =>
      `The persona has ${formatNumber(length)} characters; at most ${formatNumber(most)} are allowed. Shorten it.`,
    tooLarge: (tokens: number, most: number) =>
      `The persona takes about ${plural(tokens, 'token')}, more than a quarter of the model's context (${formatNumber(most)}). Shorten it.`,
  },
  chat: {
    expired: 'This question waited too long for its answer; ask it again.',
    together: 'This was answered together with the question before it.',
    forgotten: 'This question was forgotten before it was answered.',
    lost: 'Something here was forgotten while I answered, and my answer with it; ask again.',
    optedOut: 'You have opted out here, so I neither keep nor answer what you say. /privacy lets you opt in again.',
  },
  limits: {
    cooldown: (seconds: number) => `One question at a time; ask again in ${plural(seconds, 'second')}.`,
    serverBusy: 'I am answering as many questions in this server as I may at once; ask again in a moment.',
    queueFull: 'Too many questions are waiting here; ask again when I have caught up.',
  },
  budget: {
    heading: 'Tokens today',
    server: 'this server',
    person: 'you',
    of: (used: number, limit: number | null) =>
      limit === null
        ? `${formatNumber(used)}, no limit`
        : `${formatNumber(used)} of ${formatNumber(limit)} (${Math.floor((used / limit) * 100)} %)`,
    opens: (at: number) => `New tokens from ${formatMinute(at)} UTC on.`,
    saved: 'The limits are saved.',
    lowered: (ceiling: number) => `The owner of the bot allows ${formatNumber(ceiling)} at most, so that counts.`,
    removed: 'The limits of this server are removed.',
    nothingSet: 'Give server_tokens, person_tokens or both.',
    usedUp: {
      server: (opensAt: number) =>
        `This server’s tokens for today are used up; there are new ones from ${formatMinute(opensAt)} UTC on.`,
      person: (opensAt: number) =>
        `Your tokens for today are used up; there are new ones from ${formatMinute(opensAt)} UTC on.`,
    },
    nearly: {
      server: '(Four fifths of this server’s tokens for today are used.)',
      person: '(Four fifths of your tokens for today are used.)',
    },
  },
  usage: {
    heading: (days: number) => `Tokens used in ${plural(days, 'day')}`,
    onlyYours: (right: string) => `Only what you used yourself; seeing others takes the right “${right}”.`,
    none: 'Nothing was used.',
    summaries: 'summaries',
    line: (tokens: number, calls: number) => `${plural(tokens, 'token')}, ${plural(calls, 'call')}`,
    more: (count: number) => `… and ${formatNumber(count)} more`,
  },
  privacy: {
    heading: 'Privacy',
    places: { server: 'this server', direct: 'this direct message' },
    stored: 'What is stored',
    storedText:
      'What you address to me (mentions, replies, direct messages, /chat) and my answers, with your Discord id, your name and the time; where listen:all is set, all other talk of that channel too. Pictures are never stored. Of files their names are, and of text files the beginning. Older talk is folded into summaries.',
    goes: 'Where it goes',
    goesText: (model: string) =>
      `Into this bot's own database. To answer or to summarise, the remembered part of this conversation is sent to the language model (${model}) at the endpoint that the bot's owner has chosen, and nowhere else. What is said in direct messages never leaves them.`,
    howLong: 'How long',
    howLongText: (days: number) =>
      days === 0
        ? 'Until it is forgotten. A message is deleted as soon as a summary covers it; a summary stays until a newer one replaces it or it is forgotten.'
        : `Until it is forgotten. A message that a summary covers, or that is no longer sent, is deleted ${plural(days, 'day')} later; a summary stays until newer ones have replaced it or it is forgotten. Automatic backups are at most as old.`,
    reach: 'What deletion reaches, and what not',
    reachText:
      'Editing or deleting your message on Discord, /memory forget and the button below reach the stored message, quotes of it and my answer to it; summaries that cover it are written anew. Where the messages under a summary are deleted already, it cannot be corrected sentence by sentence: the model writes it anew without you, and if that fails it is dropped. Out of reach are messages on Discord itself, what was already sent to the model, and backups that the owner has made.',
    choices: 'Your choices',
    choicesText: (place: string) =>
      `The buttons are for what you said in ${place}: have it as a file, erase it, or opt out. Who has opted out gets no answers, and what they say is neither stored nor quoted.`,
    export: 'Export',
    erase: 'Erase',
    optOut: 'Opt out',
    optIn: 'Opt in',
    exported: (messages: number) => `All that is stored of what you said: ${plural(messages, 'message')}.`,
    nothingStored: 'Nothing that you said is stored.',
    optedOut: (place: string) =>
      `You have opted out of ${place}. What you say is not stored from now on; what is stored already can be erased.`,
    optedIn: (place: string) => `You have opted in again in ${place}.`,
  },
  errors: {
    config: 'The bot is set up wrongly; its owner can run “npm run doctor” to see what to mend.',
    'not-a-database': "The bot's database file is something else; its owner must name the right file in DATABASE_URL.",
    'empty-database':
      "The bot's database file is empty; its owner must restore a copy, or remove the file to begin anew.",
    'read-only': "The bot's database cannot be written; its owner must make the file and its folder writable.",
    locked: "Another process holds the bot's database; its owner must end that one first.",
    'no-folder': "The folder of the bot's database is missing; its owner must create it.",
    'schema-from-future': "The bot's database was written by a newer version; its owner must install that version.",
    'schema-edited': "The bot's database does not match this version; its owner must reinstall it or restore a copy.",
    'migration-failed': "The bot's database could not be brought up to date; its owner finds the reason in the log.",
    'disk-full': "The disk is full, so nothing was stored; the bot's owner must make room, then try again.",
    corrupt: "The bot's database is damaged; its owner must restore a copy.",
    storage: "The memory could not be read or written; try again, and tell the bot's owner if it stays so.",
    unreachable: 'The language model cannot be reached; ask again in a minute.',
    timeout: 'The language model took too long; ask again, or ask for less at once.',
    'rate-limited': 'The language model is asked too often at present; ask again in a minute.',
    quota: "The account at the model provider is used up; the bot's owner must top it up.",
    'bad-key': "The model provider refused the key; the bot's owner must set a valid OPENAI_API_KEY.",
    'unknown-model':
      "The model provider does not know this model; the bot's owner must name ones that it offers in OPENAI_MODEL and ALLOWED_MODELS.",
    'context-overflow': "This does not fit into the model's context; shorten the question or the persona.",
    filtered: 'The model provider refused this content; rephrase the question.',
    'empty-answer': 'The language model gave an empty answer; ask again.',
    'cut-off': 'The answer broke off half-way; ask again.',
    'not-an-api': "The model's address does not answer as it should; the bot's owner must check OPENAI_BASE_URL.",
    rejected: "The model provider refused the request; rephrase it, and tell the bot's owner if it stays so.",
    'server-error': 'The model provider has trouble of its own; ask again in a few minutes.',
    cancelled: 'The answer was stopped; ask again if you want it.',
    'bad-option': 'An option does not fit; type the command again and mind the ranges that are shown.',
    'unknown-command': 'I do not know this command; type / for those that I know.',
    'empty-question': 'There is nothing to answer; write a question.',
    'not-allowed': 'You may not do this here; ask somebody who manages the server.',
    budget: "Today's tokens are used up; there are new ones after midnight UTC.",
    busy: 'Too much is going on here at once; try again in a moment.',
  },
  unforeseen:
    "Something went wrong on my side, and nothing was changed; try again, and tell the bot's owner if it stays so.",
  answerCutOff: '(The answer reached its limit and ends here.)',
  answerStopped: '(stopped)',
  reply: {
    interrupted: '(interrupted; I go on as soon as I am back)',
    interruptedForGood: '(interrupted, and I cannot come back here; ask again)',
    stop: 'Stop',
    brokenOff: '(broken off)',
    wholeInFile: 'The answer goes on; all of it is in the file.',
    cannotAttach:
      'The answer goes on, but I could not attach the rest of it: I lack the right “Attach Files” here. Have it granted to me, or ask for less at once.',
    refused: {
      blocked: 'The AutoMod of this server blocked my answer; ask in other words, or ask a moderator what it blocks.',
      rejected: "Discord did not take my answer; ask in other words, and tell the bot's owner if it stays so.",
      unreachable: 'Discord could not be reached when I was to answer; ask again.',
    },
    over: 'This answer is already over.',
    notYours: 'Only who asked, or a moderator, can stop this answer.',
  },
  help: 'Talk, or type a command:',
  meantCommand: (command: string) => `Did you mean ${command}? Commands begin with a slash; nothing was stored.`,
  helpDiscord: {
    heading: 'How to talk with me',
    intro:
      'Mention me, reply to me, or write to me directly. Each channel, thread and direct message is a conversation of its own, and I remember it.',
  },
};

type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { [K in keyof T]: Widen<T[K]> };

/** What every language says. */
export type Words = Widen<typeof en>;
