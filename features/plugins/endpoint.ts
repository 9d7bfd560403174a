/** The endpoint that records a plugin action. */
import * as z from 'zod';
import { sha256Hex } from '#core/contracts/answers/parts.ts';
import { pluginAct, pluginActs } from '#core/contracts/plugin-act.ts';
import { operation } from '#core/operations/endpoint.ts';

export const recordPluginAct = operation({
  route: 'POST /admin/v1/supply-chain/acts',
  function: 'policies',
  role: 'admin',
  platform: true,
  summary: 'Record an install, removal or refusal of a plugin as evidence',
  status: 201,
  input: () => pluginAct,
  example: {
    act: 'refuse',
    name: 'keyword-guard',
    version: '1.2.0',
    reason: 'downgrade',
    message: 'keyword-guard 1.3.0 is installed; 1.2.0 needs --allow-downgrade',
  },
  output: () => z.strictObject({ act: z.enum(pluginActs), name: z.string(), evidence_hash: sha256Hex }),
  run: async () => (await import('#features/plugins/record.ts')).recordPluginAct,
});
