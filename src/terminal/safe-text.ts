/** Text that cannot steer a terminal: control characters but line breaks and tabs are shown as U+FFFD. */
export function safeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
  return text.replace(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}
