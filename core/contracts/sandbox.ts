/**
 * The configuration's `sandbox` section: limits that apply regardless of tool policies. Everything is optional, and the
 * defaults change nothing. An absent list sets no limit; an empty allowlist blocks everything.
 */
import * as z from 'zod';

const glob = z.string().min(1);
const globs = z.array(glob);
const noGlobs = globs.default([]);

export const sandboxSchema = z.strictObject({
  shell: z
    .strictObject({
      allowed_binaries: globs.optional().meta({ description: 'Globs of program names, without folder, that may run.' }),
      blocked_binaries: noGlobs.meta({ description: 'Globs of program names, without folder, that may not run.' }),
      allowed_paths: globs.optional().meta({
        description:
          'Globs of files and folders a command may name. A relative path counts from the working directory.',
      }),
      blocked_paths: noGlobs.meta({ description: 'Globs of files and folders a command may not name.' }),
    })
    .prefault({})
    .meta({ description: 'Limits of shell commands.' }),
  http: z
    .strictObject({
      allowed_hosts: globs.optional().meta({
        description: 'Hosts that may be called: api.example.com, *.example.com, with :port for that port only.',
      }),
      blocked_hosts: noGlobs.meta({ description: 'Hosts that may not be called, in the same form.' }),
      allowed_methods: z
        .array(z.string().regex(/^[A-Za-z]+$/, 'an HTTP method such as GET'))
        .optional()
        .meta({ description: 'HTTP methods that may be used.' }),
    })
    .prefault({})
    .meta({ description: 'Limits of HTTP calls, including those that shell commands make.' }),
  sql: z
    .strictObject({
      allowed_schemas: globs.optional().meta({ description: 'Globs of schemas a statement may use.' }),
      blocked_schemas: noGlobs.meta({ description: 'Globs of schemas a statement may not use.' }),
      allowed_tables: globs
        .optional()
        .meta({ description: 'Globs of tables a statement may use, as schema.table; users stands for public.users.' }),
      blocked_tables: noGlobs.meta({ description: 'Globs of tables a statement may not use, in the same form.' }),
      require_where: z
        .boolean()
        .default(false)
        .meta({ description: 'UPDATE and DELETE need a WHERE that leaves rows out.' }),
      block_ddl: z
        .boolean()
        .default(false)
        .meta({ description: 'Statements that change the structure of the database are blocked.' }),
      block_grant: z
        .boolean()
        .default(false)
        .meta({ description: 'GRANT, REVOKE, roles, owners, row security and SET ROLE are blocked.' }),
    })
    .prefault({})
    .meta({ description: 'Limits of SQL statements.' }),
  git: z
    .strictObject({
      allowed_repositories: globs.optional().meta({ description: 'Globs of owner/name that may be used.' }),
      blocked_repositories: noGlobs.meta({ description: 'Globs of owner/name that may not be used.' }),
      protected_branches: noGlobs.meta({
        description:
          'Globs of branches that are not written to directly. When any is named, the default branch is protected too.',
      }),
      protected_files: noGlobs.meta({
        description: 'Globs of paths inside a repository that are neither changed nor deleted.',
      }),
      block_force_push: z.boolean().default(false).meta({ description: 'Force pushes are blocked.' }),
      block_default_branch_merge: z
        .boolean()
        .default(false)
        .meta({ description: 'Merges into the default branch are blocked.' }),
    })
    .prefault({})
    .meta({ description: 'Limits of Git operations, including those that shell commands make.' }),
});
export type SandboxSettings = z.infer<typeof sandboxSchema>;
