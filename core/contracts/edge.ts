/** Headers that CloudFront sets on requests to the APIs. It replaces those of the caller. */
export const edgeHeaders = {
  /** The caller's address. API Gateway itself sees one of CloudFront's. */
  client: 'x-gateway-client',
  /** The host that the caller requested. The request to API Gateway has the API's host. */
  host: 'x-gateway-host',
  /** The origin secret. The web ACL refuses calls without it. */
  origin: 'x-gateway-origin',
} as const;
