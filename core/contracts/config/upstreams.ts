/** MCP servers and HTTP services behind the gateway. */
import * as z from 'zod';
import { declaredRoots } from '../declared-root.ts';
import { capabilities } from '../envelope.ts';
import { guardMode } from './tool-guard.ts';
import { address, bytes, executionMs, glob, kibibyte, secretName, word } from './words.ts';

/** Override of how the policy classifies a tool. The first entry whose `tool` matches applies. */
const mcpOverride = z.strictObject({
  tool: glob.meta({ description: "Glob of the tool's name at its server." }),
  name: z.string().min(1).max(256).optional().meta({ description: 'Name of the tool for policies.' }),
  protocol: z.string().min(1).max(64).optional().meta({ description: 'Protocol of the tool for policies.' }),
  capability: z.enum(capabilities).optional().meta({ description: 'Capability of the tool for policies.' }),
  target: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta({ description: 'Arguments whose values, joined by "/", are the target.' }),
});

/** An MCP server behind the gateway. */
export const mcpUpstream = z
  .strictObject({
    name: word
      .refine((name) => !name.includes('__'), 'a name without "__", which separates upstream from tool')
      .meta({ description: 'Name of the server in rules, grants and evidence.' }),
    url: address.optional().meta({ description: 'Address of the server. Required unless transport is stdio.' }),
    tools: z
      .array(glob)
      .min(1)
      .default(['**'])
      .meta({ description: 'Globs of the tools it serves, by their own names.' }),
    transport: z
      .enum(['streamable-http', 'sse', 'stdio'])
      .default('streamable-http')
      .meta({ description: 'How the server is reached.' }),
    command: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .meta({ description: 'Program and arguments of a stdio server; no shell interprets them.' }),
    env: z.array(secretName).default([]).meta({
      description:
        'Names of environment variables that a stdio server is given in addition to PATH, HOME and the like.',
    }),
    inherit: z
      .array(z.enum(['proxy', 'certificates']))
      .max(2)
      .default([])
      .meta({
        description:
          "Parts of the gateway's own environment that a stdio server is given: `proxy` (HTTP_PROXY, HTTPS_PROXY, NO_PROXY, ALL_PROXY in either case, and npm's), `certificates` (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, and npm's cafile).",
      }),
    contained: z.boolean().default(true).meta({
      description:
        "A stdio server runs without access to the gateway's processes and its state folder. If the machine permits no containment, it is not started; false starts it with all rights of the gateway's user.",
    }),
    network: z.boolean().default(true).meta({
      description: 'Whether a contained stdio server shares the network of this machine.',
    }),
    start_timeout_ms: executionMs.default(120_000).meta({
      description:
        'Longest time in milliseconds until a stdio server has answered the handshake: a launcher like npx may first have to download the server.',
    }),
    token_env: secretName.optional().meta({
      description:
        'Environment variable (or secret) with a bearer token, sent with every call that has no credential of its own.',
    }),
    timeout_ms: executionMs.default(30_000).meta({ description: 'Longest duration of a call in milliseconds.' }),
    max_result_bytes: z
      .int()
      .positive()
      .max(64 * 1024 * 1024)
      .default(4 * 1024 * 1024)
      .meta({ description: 'Largest result in bytes; larger ones are refused.' }),
    max_result_values: z
      .int()
      .positive()
      .max(1_000_000)
      .default(50_000)
      .meta({ description: 'Most members and elements in one result; a result with more is refused.' }),
    max_tools: z
      .int()
      .positive()
      .max(10_000)
      .default(1_000)
      .meta({ description: 'Tools the server may list; a server that lists more is refused as a whole.' }),
    prefix: word
      .refine((name) => !name.includes('__'), 'a prefix without "__"')
      .optional()
      .meta({
        description:
          'Tools are named <prefix>__<tool>. If absent, a prefix is added only if two servers have a tool of the same name.',
      }),
    portable_names: z.boolean().default(false).meta({
      description:
        'Offers tools under names that every model vendor accepts: [A-Za-z0-9_-], at most 64 characters. A changed name ends with a digest. Rules still use the names of the server.',
    }),
    drift: z.enum(['warn', 'block']).default('warn').meta({
      description: 'What happens when the definition of a tool changes: warn, or block calls until a human accepts it.',
    }),
    guard: guardMode,
    roots: declaredRoots.optional().meta({
      description:
        'Folders and addresses in which its tools may work: absolute paths and URIs. tool_guard.arguments.outside_roots applies to any path or address in the arguments that lies outside these roots. Web addresses are compared only if one of the roots is a web address.',
    }),
    forwarded_meta: z.array(glob).default([]).meta({
      description:
        'Globs of keys of _meta that the server is sent in addition to those of the protocol. The decision on the call covers them.',
    }),
    overrides: z.array(mcpOverride).default([]).meta({
      description:
        'What policies see of a tool, if its name and arguments do not show it. The first entry that matches applies.',
    }),
  })
  .refine(({ transport, url }) => transport === 'stdio' || url !== undefined, {
    path: ['url'],
    error: 'a URL, unless transport is stdio',
  })
  .refine(({ transport, command }) => (transport === 'stdio') === (command !== undefined), {
    path: ['command'],
    error: 'program and arguments with transport stdio, nothing otherwise',
  });

/** Header that callers may set. The gateway sets identity and routing headers itself. */
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

/** HTTP service for `http` actions. Services that are not listed cannot be called. */
export const httpService = z.strictObject({
  name: word.meta({ description: 'Name of the service; its tools are <name>.<method>.' }),
  base_url: address.meta({ description: 'Address of the service.' }),
  allowed_paths: z.array(glob).default(['**']).meta({ description: 'Globs of the path after base_url.' }),
  allowed_methods: z
    .array(z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .min(1)
    .default(['GET'])
    .meta({ description: 'HTTP methods that may be used.' }),
  allowed_headers: z.array(callerHeader).default([]).meta({
    description:
      'Headers a caller may set in addition to accept, content-type, conditional headers and the idempotency key.',
  }),
  allow_private: z.boolean().default(false).meta({
    description:
      'Whether the service may be in a private network or on this machine. Link-local addresses stay refused.',
  }),
  credential: z
    .strictObject({
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,64}$/, 'a header name')
        .default('authorization')
        .meta({ description: 'Header that carries the credential.' }),
      scheme: z
        .string()
        .regex(/^[A-Za-z0-9-]{0,32}$/, 'a word such as Bearer, or nothing')
        .default('Bearer')
        .meta({
          description: 'Word before the secret; Basic encodes user name and password, empty sends the secret alone.',
        }),
      required: z.boolean().default(false).meta({ description: 'Whether calls without a credential are refused.' }),
    })
    .prefault({})
    .meta({ description: 'How the issued credential is sent.' }),
  timeout_ms: executionMs.default(30_000).meta({ description: 'Longest duration of a call in milliseconds.' }),
  max_request_bytes: bytes.default(kibibyte * kibibyte).meta({ description: 'Largest request body in bytes.' }),
  max_response_bytes: bytes
    .default(kibibyte * kibibyte)
    .meta({ description: 'Bytes of a response that are kept; the rest is cut off, and the result says so.' }),
});

export const upstreams = z.strictObject({
  mcp: z.array(mcpUpstream).default([]).meta({ description: 'MCP servers.' }),
  http: z
    .array(httpService)
    .default([])
    .meta({ description: 'HTTP services that actions of protocol http may call; others are refused.' }),
});
