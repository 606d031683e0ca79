import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/conversation/errors.js';
import { prepareTracing } from '../../src/llm/tracing.js';

describe('tracing', () => {
  it('that is off removes all variables that send, print or reroute prompts, and says so', () => {
    const env = {
      PATH: '/bin',
      LANGSMITH_TRACING: 'true',
      LANGCHAIN_TRACING_V2: 'true',
      LANGSMITH_GATEWAY: 'https://example.org',
      LANGCHAIN_VERBOSE: 'true',
      LANGSMITH_API_KEY: 'ls-secret',
    };
    const line = prepareTracing(env, 'off');
    expect(env).toEqual({ PATH: '/bin' });
    expect(line).toBe(
      'TRACING is off, so these variables are ignored: LANGCHAIN_TRACING_V2, LANGCHAIN_VERBOSE, LANGSMITH_API_KEY, LANGSMITH_GATEWAY, LANGSMITH_TRACING.',
    );
  });

  it('that is off says nothing when there was nothing to remove', () => {
    expect(prepareTracing({ PATH: '/bin' }, 'off')).toBeNull();
  });

  it('that is on needs a key', () => {
    expect(() => prepareTracing({}, 'langsmith')).toThrow(ConfigError);
    expect(() => prepareTracing({ LANGSMITH_API_KEY: ' ' }, 'langsmith')).toThrow(/LANGSMITH_API_KEY/);
  });

  it('that is on keeps project and endpoint, and never reroutes or prints', () => {
    const env = {
      LANGCHAIN_API_KEY: 'ls-secret',
      LANGSMITH_PROJECT: 'mine',
      LANGCHAIN_TRACING_V2: 'false',
      LANGSMITH_GATEWAY: 'true',
      LANGCHAIN_VERBOSE: 'true',
    };
    expect(prepareTracing(env, 'langsmith')).toMatch(/LangSmith/);
    expect(env).toEqual({
      LANGCHAIN_API_KEY: 'ls-secret',
      LANGSMITH_API_KEY: 'ls-secret',
      LANGSMITH_PROJECT: 'mine',
      LANGSMITH_TRACING: 'true',
    });
  });
});
