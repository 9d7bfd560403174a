/** Organisations, teams, projects and environments, and the number of reviewers in each [identity.organizations]. */
import * as z from 'zod';
import { roles } from '../route.ts';
import { voterTeams } from '../separation.ts';
import { levelRuleSchema } from '../tool-policy.ts';
import { glob, word } from './words.ts';

const name = z.string().min(1).max(128).optional().meta({ description: 'Name shown to others.' });

const policies = z
  .strictObject({
    rules: z.array(levelRuleSchema).min(1).meta({
      description:
        'Rules for the tenants of this level. The first rule that matches applies; the strictest decision of all levels and tool_policies wins.',
    }),
  })
  .optional()
  .meta({
    description:
      'Tool rules of this level. They can only tighten the decisions of the levels above and of tool_policies.',
  });

const grants = z
  .array(
    z.strictObject({
      person: z.string().min(1).meta({ description: 'Id of the person.' }),
      role: z.enum(roles).meta({ description: 'Role of the person in every tenant below this level.' }),
    }),
  )
  .default([])
  .meta({
    description:
      'Roles of people in the tenants of this level and of the levels below it, in addition to those in people[].',
  });

const environment = z.strictObject({
  id: word.meta({ description: 'Name of the environment within its project.' }),
  kind: z.enum(['development', 'staging', 'production']).meta({ description: 'What the environment is for.' }),
  tenant: word.meta({
    description: 'The tenant whose keys act in this environment. A tenant belongs to one environment.',
  }),
  policies,
  grants,
});

const project = z.strictObject({
  id: word.meta({ description: 'Name of the project within its team.' }),
  name,
  environments: z.array(environment).default([]).meta({ description: 'Environments of the project.' }),
  policies,
  grants,
});

const team = z.strictObject({
  id: word.meta({ description: 'Name of the team within its organisation.' }),
  name,
  members: z.array(z.string().min(1)).default([]).meta({ description: 'Ids of the people of the team.' }),
  projects: z.array(project).default([]).meta({ description: 'Projects of the team.' }),
  policies,
  grants,
});

export const organization = z.strictObject({
  id: word.meta({ description: 'Name of the organisation.' }),
  name,
  teams: z.array(team).default([]).meta({ description: 'Teams of the organisation.' }),
  policies,
  grants,
});

export const separationRule = z.strictObject({
  name: word
    .optional()
    .meta({ description: 'Name of the rule in approvals and evidence. If absent, its position in the list.' }),
  applies_to: glob.meta({
    description:
      'Glob over <organisation>/<team>/<project>/<environment> of the requesting tenant, such as acme/**/production.',
  }),
  capability: glob.optional().meta({ description: 'Glob of capabilities. If absent, every capability.' }),
  requires: z
    .strictObject({
      approvals: z.int().min(1).max(10).default(1).meta({ description: 'Number of people who must approve.' }),
      from_teams: voterTeams
        .optional()
        .meta({ description: 'Only approvals by members of these teams count, as <organisation>/<team>.' }),
      not_same_team: z.boolean().default(false).meta({
        description:
          "Approvals by members of the project's team, or of a team of the requesting key's owner, do not count.",
      }),
      roles: z
        .array(z.enum(roles))
        .min(1)
        .optional()
        .meta({ description: 'Only approvals given with one of these roles count.' }),
    })
    .meta({ description: 'Conditions that the approvals must meet.' }),
});

export type Organization = z.infer<typeof organization>;
