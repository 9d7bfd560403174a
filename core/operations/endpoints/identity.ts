/** Tenants, the organisations above them, people, keys and separation rules. */
import * as z from 'zod';
import { count } from '#core/contracts/answers/parts.ts';
import { keyKinds, roles } from '#core/contracts/route.ts';
import { operation } from '../endpoint.ts';

const limit = count.nullable().meta({ description: 'Null if the configuration sets none.' });
const path = z.string().meta({ description: '<organisation>/<team>/<project>/<environment>, as far as known.' });
const idAndName = { id: z.string(), name: z.string() };

export const identity = {
  listTenants: operation({
    route: 'GET /admin/v1/tenants',
    function: 'observatory',
    role: 'viewer',
    summary: 'Tenants with their limits',
    graph: {
      field: 'tenants: TenantConnection',
      types: `type TenantConnection { nodes: [Tenant!]!  pageInfo: PageInfo! }
type Tenant { id: ID!  name: String!  keys: Int!  requestsPerMinute: Int  tokensPerMinute: Int  allowedModels: [String!]!  maxBodyBytes: Float }`,
      member: 'tenants',
    },
    output: () =>
      z.strictObject({
        tenants: z.array(
          z.strictObject({
            id: z.string(),
            name: z.string(),
            keys: count,
            requests_per_minute: limit,
            tokens_per_minute: limit,
            allowed_models: z.array(z.string()),
            max_body_bytes: limit,
          }),
        ),
      }),
    run: async () => (await import('#core/operations/tenants.ts')).listTenants,
  }),
  listOrganizations: operation({
    route: 'GET /admin/v1/identity/organizations',
    function: 'observatory',
    role: 'viewer',
    summary: 'Organisations that the caller belongs to',
    output: () => z.strictObject({ organizations: z.array(z.strictObject({ ...idAndName, teams: count })) }),
    run: async () => (await import('#core/operations/identity.ts')).listOrganizations,
  }),
  listTeams: operation({
    route: 'GET /admin/v1/identity/teams',
    function: 'observatory',
    role: 'viewer',
    summary: 'Teams with their members',
    output: () =>
      z.strictObject({
        teams: z.array(
          z.strictObject({
            ...idAndName,
            path,
            organization: z.string(),
            members: z.array(z.string()),
            projects: count,
          }),
        ),
      }),
    run: async () => (await import('#core/operations/identity.ts')).listTeams,
  }),
  listProjects: operation({
    route: 'GET /admin/v1/identity/projects',
    function: 'observatory',
    role: 'viewer',
    summary: 'Projects of the teams',
    output: () =>
      z.strictObject({
        projects: z.array(z.strictObject({ ...idAndName, path, team: z.string(), environments: count })),
      }),
    run: async () => (await import('#core/operations/identity.ts')).listProjects,
  }),
  listEnvironments: operation({
    route: 'GET /admin/v1/identity/environments',
    function: 'observatory',
    role: 'viewer',
    summary: 'Environments with their tenants',
    output: () =>
      z.strictObject({
        environments: z.array(
          z.strictObject({
            id: z.string(),
            kind: z.enum(['development', 'staging', 'production']),
            tenant: z.string(),
            path,
            project: z.string(),
          }),
        ),
      }),
    run: async () => (await import('#core/operations/identity.ts')).listEnvironments,
  }),
  listIdentities: operation({
    route: 'GET /admin/v1/identity/identities',
    function: 'observatory',
    role: 'viewer',
    query: ['include'],
    summary: 'People and keys of the tenant, without the keys themselves',
    output: () =>
      z.strictObject({
        people: z.array(
          z.strictObject({
            ...idAndName,
            role: z.enum(roles),
            tenants: z.array(z.string()),
            teams: z.array(z.string()),
            grants: z
              .array(z.strictObject({ path, role: z.enum(roles) }))
              .meta({ description: 'Roles by level, which apply to every tenant below.' }),
            accounts: z.array(z.enum(['slack', 'github', 'oidc'])).meta({
              description: 'Kinds of accounts that are mapped to the person, with which the person may vote, too.',
            }),
          }),
        ),
        passkeys: z
          .record(z.string(), count)
          .optional()
          .meta({ description: 'Number of passkeys by person, with `include=passkeys`.' }),
        keys: z
          .array(
            z.strictObject({
              ...idAndName,
              role: z.enum(roles),
              kind: z.enum(keyKinds),
              person: z.string().optional(),
              owner: z.string().optional(),
            }),
          )
          .meta({ description: 'Keys of the tenant, by id; never the keys themselves.' }),
      }),
    run: async () => (await import('#core/operations/identity.ts')).listIdentities,
  }),
  listSeparationRules: operation({
    route: 'GET /admin/v1/identity/separation-rules',
    function: 'observatory',
    role: 'viewer',
    summary: 'Separation rules: how many people must approve, and which',
    output: () =>
      z.strictObject({
        separation_rules: z.array(
          z.strictObject({
            name: z.string(),
            applies_to: z.string(),
            capability: z.string().optional(),
            requires: z.strictObject({
              approvals: count,
              from_teams: z.array(z.string()).optional(),
              not_same_team: z.boolean(),
              roles: z.array(z.enum(roles)).optional(),
            }),
            environments: z
              .array(z.string())
              .meta({ description: 'Environments that the caller sees and the rule applies to.' }),
          }),
        ),
      }),
    run: async () => (await import('#core/operations/identity.ts')).listSeparationRules,
  }),
};
