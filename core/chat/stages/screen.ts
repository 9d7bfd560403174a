/** Screens a request before its provider is called: transforms, content filters, the tool guard. */

import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { ContentPolicy } from '#core/models/content-policy/ports.ts';
import { isEndpoint } from '#core/models/dialects/endpoints.ts';
import type { AdmittedCall, ScreenedCall } from '../call-stages.ts';
import { looksAtTools } from '../looks-at-tools.ts';
import type { ChatPorts } from '../ports.ts';
import { checkInputPolicy } from './input-policy.ts';
import { transformRequest } from './transform.ts';

/** Tool guard for chats, which few configurations need. */
const toolResults = lazyImport(() => import('./tool-results.ts'));

/** Applies transforms, filters and the tool guard. @throws GatewayError `policy_violation`. */
export async function screen(ports: ChatPorts, admitted: AdmittedCall, policy: ContentPolicy): Promise<ScreenedCall> {
  const { call } = admitted;
  // Text sent to endpoints other than chat is data, so no prompts are added.
  if (call.storing || isEndpoint(call.operation)) return checkInputPolicy(ports, admitted, policy, call.body);
  const screened = await checkInputPolicy(ports, admitted, policy, transformRequest(call));
  if (!looksAtTools(call.snapshot.configuration)) return screened;
  const { guardTools } = await toolResults();
  return guardTools(ports, screened);
}
