import { ModelError } from '../conversation/errors.js';
import { type Finding, okFinding, problemFinding } from '../conversation/finding.js';
import type { ChatModel } from '../conversation/model.js';
import type { Deadlines } from './deadlines.js';
import { type EndpointOptions, resolveEndpoint } from './http.js';
import { type LocalServer, listChatModels, probeLocalServers } from './local-servers.js';
import { createOfflineModel } from './offline-model.js';
import { createOpenAIModel } from './openai-model.js';

/** A list of models that takes longer is not waited for. */
const LIST_TIMEOUT_MS = 3_000;

/** The settings that decide which model is used. `modelWasSet` tells a model that the owner named from a default. */
export type ConnectionConfig = {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  model: string;
  modelWasSet: boolean;
  summaryModel?: string | undefined;
  contextWindow?: number | undefined;
  deadlines: Deadlines;
  /** Whether to look for model servers on this machine. */
  probeLocal: boolean;
  localServers?: readonly LocalServer[] | undefined;
};

/** A connected model. `notice` is one English line that says what was chosen and why. */
export type Connection = {
  model: ChatModel;
  summaryModel: ChatModel;
  source: 'openai' | 'base-url' | 'local-server' | 'offline';
  notice: string;
  /** Returns another model of the same endpoint, created once for each name; offline there is only the one. */
  modelNamed(name: string): ChatModel;
};

/**
 * Chooses the model: the key or base URL that is set, else a server on this machine, else the offline model.
 * @throws {ConfigError} when the base URL is not a web address.
 */
export async function chooseModel(config: ConnectionConfig): Promise<Connection> {
  const { apiKey, baseUrl } = config;
  if (baseUrl !== undefined) {
    const endpoint = resolveEndpoint({ apiKey, baseUrl });
    const isOpenAI = endpoint.dialect === 'openai';
    const model = isOpenAI ? config.model : await listedModel(config, endpoint.baseUrl, endpoint.key);
    const notice = `Using ${model} at ${endpoint.host}, because OPENAI_BASE_URL is set.`;
    return connectTo({ baseUrl, apiKey, model }, config, isOpenAI ? 'openai' : 'base-url', notice);
  }
  if (apiKey !== undefined) {
    const notice = `Using ${config.model} at api.openai.com, because OPENAI_API_KEY is set.`;
    return connectTo({ baseUrl, apiKey, model: config.model }, config, 'openai', notice);
  }
  const found = config.probeLocal ? await probeLocalServers(config.localServers) : null;
  if (found === null) return connectOffline();
  const model = config.modelWasSet ? config.model : found.model;
  const { host } = resolveEndpoint({ apiKey, baseUrl: found.baseUrl });
  const notice = `Using ${model} of ${found.server} at ${host}, because neither OPENAI_API_KEY nor OPENAI_BASE_URL is set.`;
  return connectTo({ baseUrl: found.baseUrl, apiKey, model }, config, 'local-server', notice);
}

/** Asks the connected model for one word, and reports that it answers or why it does not. */
export async function checkModel({ model, notice, source }: Connection): Promise<Finding> {
  if (source === 'offline') return okFinding('model', notice);
  const prompt = {
    system: 'Answer with the word ok.',
    messages: [{ role: 'user' as const, content: 'Are you there?' }],
  };
  try {
    for await (const _ of model.stream(prompt, { task: 'answer', maxTokens: 256 })) break;
    return okFinding('model', `${model.id} answers. ${notice}`);
  } catch (error) {
    const reason = error instanceof ModelError ? error.message : 'it failed for a reason of its own';
    return problemFinding('model', `${model.id} does not answer: ${reason}`);
  }
}

function connectTo(
  target: EndpointOptions & { model: string },
  { contextWindow, deadlines, summaryModel }: ConnectionConfig,
  source: Connection['source'],
  notice: string,
): Connection {
  const models = new Map<string, ChatModel>();
  const modelNamed = (name: string): ChatModel => {
    const model = models.get(name) ?? createOpenAIModel({ ...target, model: name, contextWindow, deadlines });
    models.set(name, model);
    return model;
  };
  const model = modelNamed(target.model);
  return { model, summaryModel: modelNamed(summaryModel ?? target.model), source, notice, modelNamed };
}

function connectOffline(): Connection {
  const model = createOfflineModel();
  const notice =
    'No language model is connected, so answers are quotes from memory: set OPENAI_API_KEY or OPENAI_BASE_URL, or start Ollama.';
  return { model, summaryModel: model, source: 'offline', notice, modelNamed: () => model };
}

/** Unless the owner named a model, one that the endpoint lists: the default if it is among them, else the first. */
async function listedModel(config: ConnectionConfig, baseUrl: string, key: string): Promise<string> {
  if (config.modelWasSet) return config.model;
  const ids = (await listChatModels(baseUrl, key, LIST_TIMEOUT_MS)) ?? [];
  const preferred = ids.find((id) => id === config.model || id.endsWith(`/${config.model}`));
  return preferred ?? ids[0] ?? config.model;
}
