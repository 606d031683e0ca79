/** Channel types. */
export const CHANNEL_TYPE = {
  text: 0,
  dm: 1,
  voice: 2,
  category: 4,
  announcement: 5,
  announcementThread: 10,
  publicThread: 11,
  privateThread: 12,
  stage: 13,
  forum: 15,
  media: 16,
} as const;

/** The name of a channel type. */
export type ChannelTypeName = keyof typeof CHANNEL_TYPE;

/** Message types that the fake creates itself. */
export const MESSAGE_TYPE = {
  default: 0,
  threadCreated: 18,
  reply: 19,
  chatInputCommand: 20,
  threadStarterMessage: 21,
  contextMenuCommand: 23,
};

/** Types of a message reference. */
export const REFERENCE_TYPE = { reply: 0, forward: 1 } as const;

/** Message flags. */
export const MESSAGE_FLAG = {
  suppressEmbeds: 1 << 2,
  hasThread: 1 << 5,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  voiceMessage: 1 << 13,
  hasSnapshot: 1 << 14,
  componentsV2: 1 << 15,
} as const;

/** Gateway intents. */
export const INTENT = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  presences: 1 << 8,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  guildTyping: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  messageContent: 1 << 15,
} as const;

/** Intents that have to be granted in the developer portal. */
export type PrivilegedIntent = 'guildMembers' | 'presences' | 'messageContent';

/**
 * The application flag of each granted privileged intent: the LIMITED variant, which apps in fewer than 100 guilds
 * have.
 */
export const GATEWAY_LIMITED_FLAG: Record<PrivilegedIntent, number> = {
  presences: 1 << 13,
  guildMembers: 1 << 15,
  messageContent: 1 << 19,
};

/** Interaction types. */
export const INTERACTION_TYPE = {
  applicationCommand: 2,
  messageComponent: 3,
  autocomplete: 4,
  modalSubmit: 5,
} as const;

/** Types of an interaction response. */
export const CALLBACK_TYPE = {
  channelMessage: 4,
  deferredChannelMessage: 5,
  deferredUpdateMessage: 6,
  updateMessage: 7,
  autocompleteResult: 8,
  modal: 9,
} as const;

/** Application command option types. */
export const OPTION_TYPE = {
  subcommand: 1,
  subcommandGroup: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;

/** Component types; all from `stringSelect` to `lastSelect` but the text input are select menus. */
export const COMPONENT_TYPE = {
  actionRow: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  lastSelect: 8,
  label: 18,
} as const;
