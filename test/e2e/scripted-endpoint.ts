import { type FakeOpenAI, questionOf, type Script, startFakeOpenAI, stream } from '../support/fake-openai/index.js';
import { type ChatRequest, textOf } from '../support/fake-openai/wire.js';

/** A model that answers by what the question holds, so that conversations can run side by side. */
export type ScriptedEndpoint = {
  openai: FakeOpenAI;
  /** How questions whose last speaker says this word are answered; others are echoed. */
  on(word: string, script: Script): void;
  /** The newest request whose question holds this word; it waits for the first one. */
  asked(word: string): Promise<ChatRequest>;
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
      return rules.find(({ word }) => said.includes(word))?.script ?? whole(`You said: ${question}`);
    },
  });
  const requests = (word: string) => openai.chats().filter((request) => questionOf(request).includes(word));
  return {
    openai,
    on: (word, script) => void rules.unshift({ word, script }),
    requests,
    asked(word) {
      const known = requests(word).at(-1);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve) => waiting.add({ word, resolve }));
    },
  };
}

/** The last person's part of a question: an unanswered one may stand before it. */
function lastSaid(question: string): string {
  const speakers = [...question.matchAll(/^[^[\n:]+: /gm)];
  return question.slice(speakers.at(-1)?.index ?? 0);
}

/** An answer in one piece. */
export function whole(text: string): Script {
  return stream(text, { finish: 'stop' });
}

/** Something to wait for until `open` is called. */
export type Gate = { opened: Promise<void>; open(): void };

/** A closed gate. */
export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A prompt as text, one line for each message: role, then content. */
export function transcript(request: ChatRequest): string {
  return request.messages.map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n');
}
