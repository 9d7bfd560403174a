/** The caller's address and host as functions receive them, with and without CloudFront. */
import type { HttpEvent } from '#core/contracts/http.ts';
import { originalRequest } from '#lambdas/behind-edge.ts';
import { headerOf } from '#lambdas/middleware/body.ts';

const behind = { BEHIND_EDGE: 'on' };

function event(sent: Record<string, string[]>): HttpEvent {
  const multiValueHeaders = { Host: ['abc.execute-api.eu-central-1.amazonaws.com'], 'X-API-Key': ['k'], ...sent };
  const headers = Object.fromEntries(Object.entries(multiValueHeaders).map(([name, [value]]) => [name, value]));
  const requestContext = { domainName: headers.Host, stage: 'gateway', identity: { sourceIp: '130.176.0.1' } };
  return { headers, multiValueHeaders, requestContext } as unknown as HttpEvent;
}

const added = {
  'x-gateway-client': ['198.51.100.7'],
  'x-gateway-host': ['mcp.gateway.example.com'],
  'X-Gateway-Origin': ['the origin secret'],
};

describe('[cloud.edge] a call through CloudFront', () => {
  it("has the caller's address and the host that the caller requested", () => {
    const called = originalRequest(event(added), behind);
    expect(called.requestContext.identity.sourceIp).toBe('198.51.100.7');
    expect(called.requestContext.domainName).toBe('mcp.gateway.example.com');
    expect(headerOf(called, 'host')).toBe('mcp.gateway.example.com');
    expect(headerOf(called, 'x-api-key')).toBe('k');
  });

  it('does not forward edge headers, least of all the origin secret', () => {
    expect(JSON.stringify(originalRequest(event(added), behind))).not.toMatch(/origin secret|x-gateway-/i);
  });

  it("keeps API Gateway's values if a header is missing, sent twice or invalid", () => {
    for (const client of [undefined, ['198.51.100.7', '203.0.113.1'], ['somebody']]) {
      const called = originalRequest(event(client ? { 'x-gateway-client': client } : {}), behind);
      expect(called.requestContext.identity.sourceIp).toBe('130.176.0.1');
      expect(headerOf(called, 'host')).toBe('abc.execute-api.eu-central-1.amazonaws.com');
    }
  });

  it('is unchanged if headers come in only one form', () => {
    const single = { ...event(added), multiValueHeaders: {} };
    const called = originalRequest(single, behind);
    expect(called.multiValueHeaders).toEqual({});
    expect(headerOf(called, 'x-api-key')).toBe('k');
    expect(called.requestContext.identity.sourceIp).toBe('198.51.100.7');
  });

  it("has API Gateway's values without CloudFront: these headers are then a caller's claim", () => {
    const given = event(added);
    expect(originalRequest(given, {})).toBe(given);
    expect(originalRequest(given, { BEHIND_EDGE: 'off' })).toBe(given);
  });
});
