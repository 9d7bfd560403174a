/** Task manifests: an agent's task, declared in advance by a responsible person. */
import * as z from 'zod';
import { sessionForm } from './envelope.ts';
import { sessionId } from './envelope-schema.ts';

export const riskTiers = ['low', 'medium', 'high'] as const;
export type RiskTier = (typeof riskTiers)[number];

/** Maximum lifetime of a manifest. Records that enforce the manifest are kept at least that long. */
export const longestTaskDays = 90;

const pattern = z.string().min(1).max(512);
const patterns = z.array(pattern).min(1).max(64);

/** Body of `POST /admin/v1/manifests`. An absent list sets no limit. */
export const taskManifestSchema = z
  .strictObject({
    name: z.string().min(1).max(128),
    description: z.string().max(1000).optional(),
    request: z
      .string()
      .min(1)
      .max(16_000)
      .optional()
      .describe(
        "The person's words: recipients and resources that are not given are those the words name. Not stored.",
      ),
    protocols: patterns.optional().describe('git, shell, sql, http, mcp, or a name of your own.'),
    tools: patterns.optional().describe('Globs of tools: scm.get_*.'),
    resources: patterns.optional().describe('Globs of targets: acme/web, src/**, https://api.example.com/**.'),
    values: patterns
      .optional()
      .describe(
        'Recipients, accounts, paths and amounts of the task, verbatim: rules on sources trust them. They do not limit calls.',
      ),
    recipients: z
      .array(pattern)
      .max(64)
      .optional()
      .describe(
        'Globs of addresses, accounts and channels that calls may reach: *@acme.com. An empty list allows none.',
      ),
    capabilities: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(16)
      .optional()
      .describe('Verbs: read, write, execute, delete.'),
    max_actions: z.int().nonnegative().optional().describe('Allowed actions in a session.'),
    budget_usd: z.number().nonnegative().optional().describe('What the model calls of a session may cost.'),
    expires_at: z.iso.datetime({ offset: true }).optional().describe('If absent, 24 hours from now.'),
    risk_tier: z.enum(riskTiers).default('high').describe('The most severe kind of action the task needs.'),
    sessions: z
      .array(sessionId(`a session: ${sessionForm}`))
      .min(1)
      .max(16)
      .optional()
      .describe('Sessions it is attached to.'),
    key_id: z.string().min(1).max(64).optional().describe('Key it is attached to, in all its sessions.'),
  })
  .refine(({ name }) => name.trim() !== '', { path: ['name'], error: 'a name' });
export type TaskManifestBody = z.infer<typeof taskManifestSchema>;

/** Immutable stored manifest. Its id is a digest of its content. */
export interface TaskManifest extends Omit<TaskManifestBody, 'request'> {
  /** `task-` followed by 32 hex digits. */
  readonly id: string;
  readonly tenant: string;
  readonly expires_at: string;
  readonly created_at: string;
  /** The responsible person or service. */
  readonly created_by: string;
}

/** Task sheet derived from the first request of a session. */
export interface FirstSheet {
  readonly recipients: readonly string[];
  /** Absent if the request names no resources, in which case they are not restricted. */
  readonly resources?: readonly string[];
}

/** Short form of a call's effects, stored in its entry so that drift can also be found in past calls. */
export interface EffectSummary {
  /** Tool, capability, target. */
  readonly t: string;
  readonly c: string;
  readonly x: string;
}
