/** The client address as seen by a listener behind the edge. */
import type { IncomingMessage } from 'node:http';
import { eventOf, targetOf } from '../../../bin/local/http-event.ts';
import { callerAddress } from '../../../bin/local/load-balancer.ts';

const from = (headers: Record<string, string>) =>
  ({
    method: 'GET',
    url: '/health',
    socket: { remoteAddress: '127.0.0.1' },
    headers,
    rawHeaders: Object.entries(headers).flat(),
  }) as unknown as IncomingMessage;

test.each([
  ['the edge', { 'x-gateway-edge': 'token', 'x-forwarded-for': '198.51.100.7' }, '198.51.100.7'],
  ['a client with another token', { 'x-gateway-edge': 'guess', 'x-forwarded-for': '198.51.100.7' }, '127.0.0.1'],
  [
    'a client that sends the token twice',
    { 'x-gateway-edge': 'token, token', 'x-forwarded-for': '198.51.100.7' },
    '127.0.0.1',
  ],
  ['a client without a token', { 'x-forwarded-for': '198.51.100.7' }, '127.0.0.1'],
])('[edge.forwarded] of %s', (_, headers, address) => {
  expect(callerAddress(from(headers as unknown as Record<string, string>), undefined, 'token')).toBe(address);
});

test('[edge.forwarded] without an edge, a listener trusts no forwarded address, and handlers never see the token', () => {
  const request = from({ host: 'localhost', 'x-gateway-edge': 'token', 'x-forwarded-for': '198.51.100.7' });
  expect(callerAddress(request, undefined, undefined)).toBe('127.0.0.1');
  const match = { resource: '/health', pathParameters: {}, handledBy: 'models' } as const;
  const event = eventOf(request, targetOf('/health'), match, 'r1', { edgeToken: 'token' });
  expect(event.requestContext.identity.sourceIp).toBe('198.51.100.7');
  expect(JSON.stringify(event)).not.toContain('token');
});

test("[edge.forwarded] [identity.oidc-mcp] only the edge is trusted for the client's address", () => {
  const match = { resource: '/mcp', pathParameters: {}, handledBy: 'mcp' } as const;
  const seen = (headers: Record<string, string>) => {
    const request = from({ host: '127.0.0.1:8082', 'x-forwarded-host': 'gateway.example:8443', ...headers });
    const event = eventOf(request, targetOf('/mcp'), match, 'r1', { edgeToken: 'token' });
    return [event.headers?.host, event.multiValueHeaders?.host, event.requestContext.domainName];
  };
  const asked = 'gateway.example:8443';
  const edge = { 'x-gateway-edge': 'token' };
  expect(seen({ ...edge, 'x-forwarded-proto': 'https' })).toEqual([asked, [asked], asked]);
  expect(seen({ ...edge, 'x-forwarded-proto': 'http' })).toEqual([asked, [asked], undefined]);
  const own = ['127.0.0.1:8082', ['127.0.0.1:8082'], undefined];
  expect(seen({ 'x-forwarded-proto': 'https' })).toEqual(own);
  expect(seen({ 'x-gateway-edge': 'guess', 'x-forwarded-proto': 'https' })).toEqual(own);
});
