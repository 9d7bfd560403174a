/** MCP servers and HTTP services behind the gateway (spec §4.4). */
import * as z from 'zod';
import { capabilities } from '../envelope.ts';
import { address, bytes, executionMs, glob, kibibyte, secretName, word } from './words.ts';

/** What a tool is to the policy, where its name and arguments do not say it. The first entry whose `tool` matches counts. */
const mcpOverride = z.strictObject({
  /** The tool's name at its upstream. */
  tool: glob,
  /** Its name for policies. */
  name: z.string().min(1).max(256).optional(),
  protocol: z.string().min(1).max(64).optional(),
  capability: z.enum(capabilities).optional(),
  /** Arguments whose values, joined by "/", are the target. */
  target: z.array(z.string().min(1)).min(1).optional(),
});

/** An MCP server behind the gateway. */
export const mcpUpstream = z
  .strictObject({
    name: word.refine((name) => !name.includes('__'), 'a name without "__", which parts upstream from tool'),
    url: address.optional(),
    /** Tools it serves, by their own names. */
    tools: z.array(glob).min(1).default(['**']),
    transport: z.enum(['streamable-http', 'sse', 'stdio']).default('streamable-http'),
    /** Program and arguments of a stdio server: no shell reads them. */
    command: z.array(z.string().min(1)).min(1).optional(),
    /** Environment variables a stdio server is given besides PATH, HOME and the like. */
    env: z.array(secretName).default([]),
    contained: z.boolean().default(true).meta({
      description:
        "A stdio server runs without sight of the gateway's processes and its state folder. Where the machine permits no containment it is not started; false starts it with all rights of the gateway's user.",
    }),
    network: z.boolean().default(true).meta({
      description: 'Whether a contained stdio server shares the network of this machine.',
    }),
    /** Sent as a bearer token with every call that has no minted credential of its own. */
    token_env: secretName.optional(),
    timeout_ms: z.int().positive().default(30_000),
    /** Results above it are refused. */
    max_result_bytes: z
      .int()
      .positive()
      .max(64 * 1024 * 1024)
      .default(4 * 1024 * 1024),
    /** The most values (members and elements) of one answer; an answer that holds more is refused. */
    max_result_values: z.int().positive().max(1_000_000).default(50_000),
    /** The most tools it may list; a server that lists more is refused as a whole until the number is raised. */
    max_tools: z.int().positive().max(10_000).default(1_000),
    /** Tools are named `<prefix>__<tool>`; without it only where upstreams collide, by their names. */
    prefix: word.refine((name) => !name.includes('__'), 'a prefix without "__"').optional(),
    /** What a changed definition of a tool does: a warning, or no call until a human accepts it. */
    drift: z.enum(['warn', 'block']).default('warn'),
    /** Keys of a call's `_meta` the server is sent besides the protocol's own; they are decided with the call. */
    forwarded_meta: z.array(glob).default([]),
    overrides: z.array(mcpOverride).default([]),
  })
  .refine(({ transport, url }) => transport === 'stdio' || url !== undefined, {
    path: ['url'],
    error: 'a URL, unless transport is stdio',
  })
  .refine(({ transport, command }) => (transport === 'stdio') === (command !== undefined), {
    path: ['command'],
    error: 'program and arguments with transport stdio, nothing otherwise',
  });

/** A header a service may be asked with; those that say who asks, or where, are the gateway's own. */
const callerHeader = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a header name in lower case')
  .refine(
    (name) =>
      !/^(?:authorization|cookie|host|connection|te|trailer|upgrade|expect|content-length|transfer-encoding|via|forwarded|x-forwarded-.*|x-real-ip|proxy-.*|sec-.*|.*method-override|x-http-method)$/.test(
        name,
      ),
    'a header that names neither caller, host, route nor method',
  );

/** An HTTP service that actions of protocol `http` may call; what is not named here is called by nobody. */
export const httpService = z.strictObject({
  name: word,
  base_url: address,
  /** Of the path behind `base_url`. */
  allowed_paths: z.array(glob).default(['**']),
  allowed_methods: z
    .array(z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .min(1)
    .default(['GET']),
  /** Headers a caller may set besides accept, content-type, conditions and the idempotency key. */
  allowed_headers: z.array(callerHeader).default([]),
  /** Whether it may stand in a private network or on this machine. Link-local addresses stay refused. */
  allow_private: z.boolean().default(false),
  /** How the minted credential travels. */
  credential: z
    .strictObject({
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,64}$/, 'a header name')
        .default('authorization'),
      /** Stands before the secret; `Basic` encodes user name and password, empty sends the secret alone. */
      scheme: z
        .string()
        .regex(/^[A-Za-z0-9-]{0,32}$/, 'a word such as Bearer, or nothing')
        .default('Bearer'),
      /** Without a credential nothing is sent. */
      required: z.boolean().default(false),
    })
    .prefault({}),
  timeout_ms: executionMs.default(30_000),
  max_request_bytes: bytes.default(kibibyte * kibibyte),
  /** What is longer is cut off, and said to be. */
  max_response_bytes: bytes.default(kibibyte * kibibyte),
});

export const upstreams = z.strictObject({
  mcp: z.array(mcpUpstream).default([]),
  http: z.array(httpService).default([]),
});
