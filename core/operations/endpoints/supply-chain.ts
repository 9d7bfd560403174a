/** Plugins and policy packs: those that are active, and the actions people have taken on them. */

import * as z from 'zod';
import { count, sha256Hex, time, unreadableRows } from '#core/contracts/answers/parts.ts';
import { activePartSchema } from '#core/contracts/answers/supply-chain.ts';
import { recordedActs } from '#core/contracts/plugin-act.ts';
import { operation } from '../endpoint.ts';

export const supplyChain = {
  supplyChain: operation({
    route: 'GET /admin/v1/supply-chain',
    function: 'observatory',
    role: 'viewer',
    summary: 'The policy pack and WASM filters in force, by digest, and recent changes of plugins',
    output: () =>
      z.strictObject({
        policy_version: count,
        require_signed: z.boolean(),
        parts: z.array(activePartSchema),
        acts: z
          .array(
            z.strictObject({
              at: time,
              by: z.string().meta({ description: 'Person, or id of the key, that reported it.' }),
              act: z.enum(recordedActs),
              name: z.string(),
              version: z.string().optional(),
              kind: z.string().optional(),
              sha256: z.string().optional(),
              size: count.optional().meta({ description: 'Size of an uploaded module, in bytes.' }),
              signer: z.string().optional().meta({ description: 'Key id of the publisher.' }),
              reason: z.string().optional().meta({ description: 'Why it was refused.' }),
              message: z.string().optional(),
              done_at: z.string().optional().meta({ description: 'When it was done, if it was reported later.' }),
              evidence_hash: sha256Hex,
            }),
          )
          .meta({ description: 'Installs, removals and refusals of plugins in the last week, newest first.' }),
        unreadable: unreadableRows,
      }),
    run: async () => (await import('#core/operations/supply-chain.ts')).supplyChain,
  }),
};
