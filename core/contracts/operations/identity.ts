/** Responses about organisations, teams, projects and environments. */
import * as z from 'zod';
import { keyKinds, roles } from '../route.ts';
import { count, type OperationContract } from './operation.ts';

const path = z.string().meta({ description: '<organisation>/<team>/<project>/<environment>, as far as it goes.' });
const named = { id: z.string(), name: z.string() };

export const identity = {
  listOrganizations: {
    output: z.strictObject({ organizations: z.array(z.strictObject({ ...named, teams: count })) }),
  },
  listTeams: {
    output: z.strictObject({
      teams: z.array(
        z.strictObject({ ...named, path, organization: z.string(), members: z.array(z.string()), projects: count }),
      ),
    }),
  },
  listProjects: {
    output: z.strictObject({
      projects: z.array(z.strictObject({ ...named, path, team: z.string(), environments: count })),
    }),
  },
  listEnvironments: {
    output: z.strictObject({
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
  },
  listIdentities: {
    output: z.strictObject({
      people: z.array(
        z.strictObject({
          ...named,
          role: z.enum(roles),
          tenants: z.array(z.string()),
          teams: z.array(z.string()),
          grants: z
            .array(z.strictObject({ path, role: z.enum(roles) }))
            .meta({ description: 'Roles by level, which hold for every tenant below.' }),
        }),
      ),
      keys: z
        .array(
          z.strictObject({
            ...named,
            role: z.enum(roles),
            kind: z.enum(keyKinds),
            person: z.string().optional(),
            owner: z.string().optional(),
          }),
        )
        .meta({ description: 'Keys of the tenant, by id; never a key.' }),
    }),
  },
  listSeparationRules: {
    output: z.strictObject({
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
  },
} satisfies Record<string, OperationContract>;
