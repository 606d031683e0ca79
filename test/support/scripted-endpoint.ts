import { type FakeOpenAI, questionOf, type Script, startFakeOpenAI } from './fake-openai/index.js';
import { answer } from './fake-openai/scripts.js';
import { type ChatRequest, textOf } from './fake-openai/wire.js';

/** How a model answers a request; undefined leaves it to the rules, and without a rule to the echo. */
export type Respond = (request: ChatRequest) => Script | undefined;

/** A model that answers by what the question holds, so that conversations can run side by side. */
export type ScriptedEndpoint = {
  openai: FakeOpenAI;
  /** How all requests are answered from now on. */
  respond: Respond;
  /** How questions whose last speaker says this word are answered; others are echoed. */
  on(word: string, script: Script): void;
  /** The newest request whose question holds this word; it waits for the first one. */
  asked(word: string): Promise<ChatRequest>;
  /** The prompt of that request as text, one line for each message. */
  promptFor(word: string): Promise<string>;
  /** Every request whose question holds this word, oldest first. */
  requests(word: string): ChatRequest[];
};

/** Starts the endpoint. */
export async function startScriptedEndpoint(): Promise<ScriptedEndpoint> {
  const rules: { word: string; script: Script }[] = [];
  const waiting = new Set<{ word: string; resolve(request: ChatRequest): void }>();
  const openai = await startFakeOpenAI({
    respond(request) {
      const question = questionOf(request);
      for (const each of waiting) if (question.includes(each.word)) each.resolve(request);
      const said = lastSaid(question);
      const rule = rules.find(({ word }) => said.includes(word));
      return endpoint.respond(request) ?? rule?.script ?? answer(`You said: ${lastLine(request)}`);
    },
  });
  const requests = (word: string) => openai.chats().filter((request) => questionOf(request).includes(word));
  const endpoint: ScriptedEndpoint = {
    openai,
    respond: () => undefined,
    on: (word, script) => void rules.unshift({ word, script }),
    requests,
    promptFor: async (word) => promptText(await endpoint.asked(word)),
    asked(word) {
      const known = requests(word).at(-1);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => waiting.add({ word, resolve }));
    },
  };
  return endpoint;
}

/** The last person's part of a question: an unanswered one may stand before it. */
function lastSaid(question: string): string {
  const speakers = [...question.matchAll(/^[^[\n:]+: /gm)];
  return question.slice(speakers.at(-1)?.index ?? 0);
}

/** The last line of a question, without the name of who asked it. */
export function lastLine(request: ChatRequest): string {
  const line = questionOf(request).split('\n').at(-1) ?? '';
  return line.replace(/^\w+: /u, '');
}

/** A prompt as text, one line for each message: role, then content. */
export function promptText(request: ChatRequest): string {
  return request.messages.map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n');
}

/** Whether a request asks for a summary. */
export function isFold(request: ChatRequest): boolean {
  return promptText(request).startsWith('system: You keep the memory of a chat');
}
