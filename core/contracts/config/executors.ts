/** Executors, which carry out allowed actions. */
import * as z from 'zod';
import { environmentPattern } from './secret-names.ts';
import { address, bytes, executionMs, kibibyte, secretName, word } from './words.ts';

/** Database for `sql` actions: PostgreSQL by its address, or Aurora through the RDS Data API. */
export const sqlDatabase = z
  .strictObject({
    name: word.meta({ description: 'Name of the database, as used in the targets of calls.' }),
    url_env: secretName.optional().meta({
      description:
        'Environment variable (or secret) with a connection URL. Its user is used if no credential was issued.',
    }),
    host: z.string().min(1).max(253).optional().meta({ description: 'Host name of a PostgreSQL server.' }),
    port: z.int().min(1).max(65_535).default(5432).meta({ description: 'Port of the server.' }),
    database: z.string().min(1).max(63).optional().meta({ description: 'Name of the database on the server.' }),
    tls: z
      .enum(['verify', 'off'])
      .default('verify')
      .meta({ description: 'verify checks certificate and host name; off sends everything in clear text.' }),
    ca_env: secretName.optional().meta({
      description:
        "Environment variable (or secret) with the PEM of the authority that signed the server's certificate.",
    }),
    resource_arn: z
      .string()
      .regex(/^arn:aws[a-z-]*:rds:[a-z0-9-]+:\d{12}:cluster:.+$/, 'the ARN of an Aurora cluster')
      .optional()
      .meta({ description: 'ARN of an Aurora cluster, reached through the RDS Data API.' }),
    secret_arn: z
      .string()
      .regex(/^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:.+$/, 'the ARN of a secret')
      .optional()
      .meta({ description: 'ARN of the secret with user and password of the cluster.' }),
    statement_timeout_ms: executionMs
      .default(30_000)
      .meta({ description: 'Longest duration of a statement in milliseconds.' }),
  })
  .refine(
    ({ url_env, host, resource_arn }) => [url_env, host, resource_arn].filter((at) => at !== undefined).length === 1,
    {
      error: 'exactly one of url_env, host and resource_arn',
    },
  )
  .refine(({ resource_arn, secret_arn }) => (resource_arn === undefined) === (secret_arn === undefined), {
    path: ['secret_arn'],
    error: 'resource_arn and secret_arn together',
  })
  .refine(({ url_env, database }) => url_env !== undefined || database !== undefined, {
    path: ['database'],
    error: 'the name of the database on the server',
  });

const keptFromPrograms = /^(?:AWS_|GATEWAY_|LAMBDA_|LD_|DYLD_|NODE_|BASH_|PATH$|ENV$|IFS$|_HANDLER$)/;

/** Executors. Without a configured executor, the gateway does not run the action. */
export const executors = z.strictObject({
  git: z
    .strictObject({
      enabled: z.boolean().default(false).meta({ description: 'Whether actions of protocol git are carried out.' }),
      api_url: address.optional().meta({
        description:
          'Address of the Git host. If absent, the address of the Git-host broker, or else https://api.github.com.',
      }),
      allow_private: z
        .boolean()
        .default(false)
        .meta({ description: 'Whether the Git host may be in a private network.' }),
      timeout_ms: executionMs.default(30_000).meta({ description: 'Longest duration of a call in milliseconds.' }),
      max_response_bytes: bytes.default(kibibyte * kibibyte).meta({ description: 'Largest response in bytes.' }),
    })
    .prefault({})
    .meta({ description: 'Calls to the Git host.' }),
  sql: z
    .strictObject({
      databases: z.array(sqlDatabase).default([]).meta({ description: 'Databases that may be reached.' }),
      max_rows: z
        .int()
        .positive()
        .max(100_000)
        .default(1000)
        .meta({ description: 'Most rows in a result; additional rows are left out, and the result says so.' }),
      max_result_bytes: bytes
        .default(kibibyte * kibibyte)
        .meta({ description: 'Largest result in bytes; the excess is left out, and the result says so.' }),
    })
    .prefault({})
    .meta({ description: 'Statements on databases.' }),
  shell: z
    .strictObject({
      enabled: z.boolean().default(false).meta({ description: 'Whether actions of protocol shell are carried out.' }),
      allowed_binaries: z
        .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$/, 'a program name without a folder'))
        .default([])
        .meta({ description: 'Names of programs, without folder, that may run.' }),
      working_directory: z.string().startsWith('/', 'an absolute path').optional().meta({
        description:
          'Folder in which, or below which, programs run. Required locally; on AWS each command has an empty folder of its own.',
      }),
      contained: z.boolean().default(true).meta({
        description:
          "Locally, programs run without access to the gateway's processes, its state folder and the network. If the machine permits no containment, no program runs; false runs them with all rights of the gateway's user.",
      }),
      network: z.boolean().default(false).meta({
        description: 'Locally, contained programs share the network of this machine, including its own ports.',
      }),
      timeout_ms: executionMs.default(30_000).meta({ description: 'Longest duration of a command in milliseconds.' }),
      max_output_bytes: bytes
        .default(256 * kibibyte)
        .meta({ description: 'Bytes kept of each of the two output streams.' }),
      max_processes: z
        .int()
        .positive()
        .max(4096)
        .default(64)
        .meta({ description: 'Processes a command may have at one time.' }),
      max_memory_bytes: z
        .int()
        .min(16 * kibibyte * kibibyte)
        .default(512 * kibibyte * kibibyte)
        .meta({ description: 'Locally, bytes of private memory that each process of a command may have.' }),
      max_cpu_seconds: z.int().positive().max(86_400).default(60).meta({
        description: 'Locally, seconds of processor time that each process of a command may use.',
      }),
      max_concurrent: z.int().positive().max(1_000).default(8).meta({
        description: 'Locally, number of commands that run at one time; additional ones are answered with 429.',
      }),
      max_concurrent_per_key: z.int().positive().max(1_000).default(2).meta({
        description:
          'Locally, number of commands of one key that run at one time; additional ones are answered with 429.',
      }),
      env: z
        .array(
          z
            .string()
            .regex(environmentPattern, 'the name of an environment variable: [A-Z][A-Z0-9_]*')
            .refine(
              (name) => !keptFromPrograms.test(name),
              'a name outside AWS_*, GATEWAY_*, LD_*, NODE_*, PATH and the like',
            ),
        )
        .default([])
        .meta({ description: 'Names of environment variables that programs are given.' }),
    })
    .prefault({})
    .meta({ description: 'Commands.' }),
});
