/** MCP calls for pending approvals, from a client that can show an address. */
import { meta, modern, test_, useMcpEndpoint } from '../support/mcp-endpoint.ts';

export const capabilities = 'io.modelcontextprotocol/clientCapabilities';
export const asks = { ...meta, [capabilities]: { elicitation: { url: {}, form: {} } } };
export const requestKey = 'gateway.approval';
export const accepted = { [requestKey]: { action: 'accept' } };

type Sent = NonNullable<Parameters<typeof modern>[2]>;

export let made = 0;
/** Builds a call that has not been made before. */
export const fresh = () => ({ name: 'create_issue', arguments: { title: `issue ${++made}` } });
export const first = (call: object, sent: Sent = {}, envelope: object = asks) =>
  modern('tools/call', call, sent, envelope);
export const again = (call: object, requestState: unknown, inputResponses: unknown = accepted, sent: Sent = {}) =>
  modern('tools/call', { ...call, requestState, inputResponses }, sent, asks);

/** Makes a call that needs input. Returns its state and the approval it refers to. */
export async function asked(call: object, sent: Sent = {}) {
  const { result } = (await first(call, sent)).last;
  const { url } = result.inputRequests[requestKey].params;
  return { state: result.requestState as string, approval: url.split('/').at(-1) as string };
}

export const pending = async () =>
  (await test_.ports.approvals.list('default', 'pending', { limit: 100 })).items.length;

export function useInputRequired(): void {
  useMcpEndpoint(
    [{ protocol: 'mcp', tool: '{create_issue,test_input_required_result_request_state}', decision: 'review' }],
    {
      kind: '2026',
    },
  );
}
