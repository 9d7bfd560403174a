/**
 * Section `sandbox` of the configuration: limits that hold whatever a tool policy says (contract §3). Everything is
 * optional and the defaults change nothing. A list that is absent is no limit; an empty allow-list lets nothing through.
 */
import * as z from 'zod';

const glob = z.string().min(1);
const globs = z.array(glob);
const none = globs.default([]);

export const sandboxSchema = z.strictObject({
  shell: z
    .strictObject({
      /** Names of programs, without folder. */
      allowed_binaries: globs.optional(),
      blocked_binaries: none,
      /** Files and folders a command may name; a relative one counts from the working directory. */
      allowed_paths: globs.optional(),
      blocked_paths: none,
    })
    .prefault({}),
  http: z
    .strictObject({
      /** `api.example.com`, `*.example.com`, with `:port` for that port only. */
      allowed_hosts: globs.optional(),
      blocked_hosts: none,
      allowed_methods: z.array(z.string().regex(/^[A-Za-z]+$/, 'an HTTP method such as GET')).optional(),
    })
    .prefault({}),
  sql: z
    .strictObject({
      allowed_schemas: globs.optional(),
      blocked_schemas: none,
      /** `users` is `public.users`; others as `schema.table`. */
      allowed_tables: globs.optional(),
      blocked_tables: none,
      /** UPDATE and DELETE need a WHERE that leaves rows out. */
      require_where: z.boolean().default(false),
      block_ddl: z.boolean().default(false),
      /** GRANT, REVOKE, roles, owners, row security, SET ROLE. */
      block_grant: z.boolean().default(false),
    })
    .prefault({}),
  git: z
    .strictObject({
      allowed_repositories: globs.optional(),
      blocked_repositories: none,
      /** Nothing is written to them directly. Where any is named, the default branch counts as one of them. */
      protected_branches: none,
      /** Paths inside a repository that are neither changed nor deleted. */
      protected_files: none,
      block_force_push: z.boolean().default(false),
      block_default_branch_merge: z.boolean().default(false),
    })
    .prefault({}),
});
export type SandboxSettings = z.infer<typeof sandboxSchema>;
