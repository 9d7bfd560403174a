/** Features that model calls may use: chat completions, messages and responses. */
import * as z from 'zod';
import { glob } from './words.ts';

/**
 * Betas that only change how a model responds: the provider runs nothing and reads nothing that the gateway has not
 * seen.
 */
const usualBetas = [
  ...['prompt-caching-*', 'extended-cache-ttl-*', 'cache-diagnosis-*', 'token-counting-*', 'token-efficient-tools-*'],
  ...['output-128k-*', 'output-300k-*', 'pdfs-*', 'max-tokens-*', 'context-1m-*', 'context-management-*', 'compact-*'],
  ...['model-context-window-exceeded-*', 'structured-outputs-*', 'effort-*', 'task-budgets-*', 'fast-mode-*'],
  ...['interleaved-thinking-*', 'adaptive-thinking-*', 'dev-full-thinking-*', 'redact-thinking-*'],
  ...[
    'thinking-token-count-*',
    'mid-conversation-system-*',
    'fine-grained-tool-streaming-*',
    'tool-examples-*',
    'computer-use-*',
    'claude-code-*',
    'oauth-*',
  ],
];

export const chatCompletionsSettings = z
  .strictObject({
    tool_use: z.enum(['pass', 'reject', 'govern']).default('pass').meta({
      description:
        "pass leaves the model's tool calls to the caller, without a decision; reject refuses requests with tools; govern applies the tool policy to each call.",
    }),
  })
  .prefault({});

export const chatAddresses = z
  .union([
    z.enum(['public', 'any', 'none']),
    z
      .array(z.string().regex(/^[a-z0-9*.-]{1,253}$/))
      .min(1)
      .max(200),
  ])
  .default('public')
  .meta({
    description:
      'Addresses of images, documents and audio that a chat request makes its provider fetch. public: http and https addresses outside private networks; any; none; or a list of hosts, as globs in lower case. If tool_use is govern, each public address that is not listed is evaluated as the call http.get. Content in base64 always passes.',
  });

export const messagesSettings = z
  .strictObject({
    tool_use: z.enum(['reject', 'govern', 'hook']).default('reject').meta({
      description:
        "reject refuses requests with tools; govern applies the tool policy to each tool call; hook leaves it to the agent's hook.",
    }),
    structured_output: z.enum(['data', 'govern']).default('data').meta({
      description:
        'With govern: data passes the arguments of a single forced tool that no rule names and that has no readable effect (structured output); govern evaluates it like any call.',
    }),
    provider_tools: z.array(glob).default([]).meta({
      description:
        'With govern and hook: types of tools that the provider may run itself, without a decision, e.g. "web_search_*".',
    }),
    betas: z.array(glob).default(usualBetas).meta({
      description:
        'With govern and hook: values of anthropic-beta that are sent to the provider; X-Left-Out names the others.',
    }),
  })
  .prefault({});
