/** What carries out allowed actions (spec §1). */
import * as z from 'zod';
import { address, bytes, environmentPattern, executionMs, kibibyte, secretName, word } from './words.ts';

/** A database that actions of protocol `sql` may reach: PostgreSQL by its address, or Aurora by the RDS Data API. */
export const sqlDatabase = z
  .strictObject({
    name: word,
    /** Secret with a whole connection URL; its user counts where no credential was minted. */
    url_env: secretName.optional(),
    host: z.string().min(1).max(253).optional(),
    port: z.int().min(1).max(65_535).default(5432),
    /** The database at the server. */
    database: z.string().min(1).max(63).optional(),
    /** `verify` checks certificate and host name. */
    tls: z.enum(['verify', 'off']).default('verify'),
    /** Secret with the PEM of the authority that signed the server's certificate. */
    ca_env: secretName.optional(),
    resource_arn: z
      .string()
      .regex(/^arn:aws[a-z-]*:rds:[a-z0-9-]+:\d{12}:cluster:.+$/, 'the ARN of an Aurora cluster')
      .optional(),
    secret_arn: z
      .string()
      .regex(/^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:.+$/, 'the ARN of a secret')
      .optional(),
    statement_timeout_ms: executionMs.default(30_000),
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
    error: 'the name of the database at the server',
  });

const keptFromPrograms = /^(?:AWS_|GATEWAY_|LAMBDA_|LD_|DYLD_|NODE_|BASH_|PATH$|ENV$|IFS$|_HANDLER$)/;

/** What carries out allowed actions. Nothing runs unless it is configured. */
export const executors = z.strictObject({
  git: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** Absent: the one of the Git-host broker, else https://api.github.com. */
      api_url: address.optional(),
      allow_private: z.boolean().default(false),
      timeout_ms: executionMs.default(30_000),
      max_response_bytes: bytes.default(kibibyte * kibibyte),
    })
    .prefault({}),
  sql: z
    .strictObject({
      databases: z.array(sqlDatabase).default([]),
      /** What is beyond is left out, and said to be. */
      max_rows: z.int().positive().max(100_000).default(1000),
      max_result_bytes: bytes.default(kibibyte * kibibyte),
    })
    .prefault({}),
  shell: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** Names of programs, without folder. */
      allowed_binaries: z
        .array(z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$/, 'the name of a program, without folder'))
        .default([]),
      /** Programs run in it or below it. Needed locally; on AWS each command has an empty folder of its own. */
      working_directory: z.string().startsWith('/', 'an absolute path').optional(),
      contained: z.boolean().default(true).meta({
        description:
          "Locally, programs run without sight of the gateway's processes, its state folder and the network. Where the machine permits no containment none run; false runs them with all rights of the gateway's user.",
      }),
      network: z.boolean().default(false).meta({
        description: 'Locally, contained programs share the network of this machine, its own ports included.',
      }),
      timeout_ms: executionMs.default(30_000),
      /** Of each of the two outputs. */
      max_output_bytes: bytes.default(256 * kibibyte),
      max_processes: z.int().positive().max(4096).default(64),
      /** Names of environment variables that programs are given. */
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
        .default([]),
    })
    .prefault({}),
});
