/** Records plugin actions that `agentctl` reports. */
import { actionOf, pluginAct } from '#core/contracts/plugin-act.ts';
import { type Operation, parseBySchema } from '#core/operations/operation.ts';
import { recordAct } from '#core/operations/record.ts';

/**
 * Records a plugin action that `agentctl` reports from its machine, with the reporter's name [supply-chain.in-force].
 */
export const recordPluginAct: Operation = async (call) => {
  const { act, ...about } = parseBySchema(pluginAct, call.body());
  const evidence_hash = await recordAct(call, actionOf({ act }), about);
  return { status: 201, body: { act, name: about.name, evidence_hash } };
};
