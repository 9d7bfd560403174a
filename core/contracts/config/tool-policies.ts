/** Tool policies: the pack and its signer, rules and guards. */
import * as z from 'zod';
import { decisions } from '../envelope.ts';
import { toolPackSchema, toolRuleSchema } from '../tool-policy.ts';

export const toolPolicies = z
  .strictObject({
    pack: z
      .union([z.string().min(1), toolPackSchema, z.null()])
      .default('pr-writer')
      .meta({
        description:
          'readonly, pr-writer, coding-agent, infra-review, sql-explorer, provenance, a path, or null for none. Stored with its rules.',
      }),
    default_decision: z
      .enum(decisions)
      .optional()
      .meta({ description: "Decision for calls that no rule matches. Overrides the pack's default." }),
    rules: z.array(toolRuleSchema).default([]).meta({
      description: 'Rules of this deployment, evaluated before those of the pack. The first rule that matches applies.',
    }),
    disable_guards: z
      .array(z.string().min(1))
      .default([])
      .meta({ description: 'Names of guards of the pack that do not apply. Each is reported as a warning.' }),
    require_signed: z.boolean().default(false).meta({
      description:
        'Whether a pack and WASM filters are refused unless a publisher signed them under supply_chain.root_key, including the packs that ship with the gateway.',
    }),
  })
  .prefault({});

export const supplyChain = z
  .strictObject({
    root_key: z
      .string()
      .startsWith('-----BEGIN PUBLIC KEY-----', 'a public key in PEM form')
      .optional()
      .meta({ description: 'Root key that signs the index of plugins, in PEM form (Ed25519 or ECDSA P-256).' }),
    index: z
      .looseObject({})
      .optional()
      .meta({ description: 'The index file with its signatures, as agentctl supply-chain trust prints it.' }),
  })
  .prefault({});
