/** HTTP calls as parsed by the effect reader. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { httpEffects } from '#core/effects/http.ts';
import type { Effects } from '#core/effects/ports.ts';

export const read = (call: Partial<ToolCall>): Effects =>
  httpEffects({ protocol: 'http', tool: 'http.get', target: '', capability: 'read', parameters: {}, ...call });
export const only = (call: Partial<ToolCall>): ToolCall => {
  const { parts } = read(call);
  expect(parts).toHaveLength(1);
  return parts[0]!;
};
