import type { ChatModel } from '../conversation/model.js';
import type { Deadlines } from './deadlines.js';
import { endpointOf } from './endpoint.js';
import { listChatModels } from './model-list.js';
import { createOfflineModel } from './offline.js';
import { createOpenAIModel } from './openai.js';
import { type LocalServer, probeLocal } from './probe.js';

/** What is known before a model is chosen. `modelWasSet` tells a model that the owner named from a default. */
export type ConnectionConfig = {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  model: string;
  modelWasSet: boolean;
  summaryModel?: string | undefined;
  contextWindow?: number | undefined;
  deadlines: Deadlines;
  /** Whether servers on this machine may be looked for. */
  probeLocal: boolean;
  localServers?: readonly LocalServer[] | undefined;
  streamUsage?: boolean | undefined;
};

/** A connected model. `notice` is one English line that says what was chosen and why. */
export type Connection = {
  model: ChatModel;
  summaryModel: ChatModel;
  source: 'openai' | 'base-url' | 'local-server' | 'offline';
  notice: string;
  /** Another model of the same endpoint, made once for each name; offline there is only the one. */
  modelNamed(name: string): ChatModel;
};

/** A list of models that takes longer is not waited for. */
const LIST_TIMEOUT_MS = 3_000;

type Target = { baseUrl: string | undefined; apiKey: string | undefined; model: string };

function connected(config: ConnectionConfig, target: Target, source: Connection['source'], notice: string): Connection {
  const { contextWindow, deadlines, streamUsage, summaryModel } = config;
  const made = new Map<string, ChatModel>();
  const modelNamed = (name: string): ChatModel => {
    const model =
      made.get(name) ?? createOpenAIModel({ ...target, model: name, contextWindow, deadlines, streamUsage });
    made.set(name, model);
    return model;
  };
  const model = modelNamed(target.model);
  return { model, summaryModel: modelNamed(summaryModel ?? target.model), source, notice, modelNamed };
}

function offline(): Connection {
  const model = createOfflineModel();
  const notice =
    'No language model is connected, so answers are quotes from memory: set OPENAI_API_KEY or OPENAI_BASE_URL, or start Ollama.';
  return { model, summaryModel: model, source: 'offline', notice, modelNamed: () => model };
}

/** Unless the owner named a model, one that the endpoint offers: the default if it is listed, else the first. */
async function offeredModel(config: ConnectionConfig, baseUrl: string, key: string): Promise<string> {
  if (config.modelWasSet) return config.model;
  const offered = (await listChatModels(baseUrl, key, LIST_TIMEOUT_MS)) ?? [];
  const wanted = offered.find((id) => id === config.model || id.endsWith(`/${config.model}`));
  return wanted ?? offered[0] ?? config.model;
}

/**
 * Chooses the model: the key or base URL that is set, else a server on this machine, else the offline model.
 * @throws {ConfigError} when the base URL is not a web address.
 */
export async function connectModel(config: ConnectionConfig): Promise<Connection> {
  const { apiKey, baseUrl } = config;
  if (baseUrl !== undefined) {
    const endpoint = endpointOf({ apiKey, baseUrl });
    const own = endpoint.dialect === 'openai';
    const model = own ? config.model : await offeredModel(config, endpoint.baseUrl, endpoint.key);
    const notice = `Using ${model} at ${endpoint.host}, because OPENAI_BASE_URL is set.`;
    return connected(config, { baseUrl, apiKey, model }, own ? 'openai' : 'base-url', notice);
  }
  if (apiKey !== undefined) {
    const notice = `Using ${config.model} at api.openai.com, because OPENAI_API_KEY is set.`;
    return connected(config, { baseUrl, apiKey, model: config.model }, 'openai', notice);
  }
  const found = config.probeLocal ? await probeLocal({ ports: config.localServers }) : null;
  if (found === null) return offline();
  const model = config.modelWasSet ? config.model : found.model;
  const { host } = endpointOf({ apiKey, baseUrl: found.baseUrl });
  const notice = `Using ${model} of ${found.server} at ${host}, because neither OPENAI_API_KEY nor OPENAI_BASE_URL is set.`;
  return connected(config, { baseUrl: found.baseUrl, apiKey, model }, 'local-server', notice);
}
