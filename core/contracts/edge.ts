/** Headers that CloudFront sets on requests to the APIs, replacing those of the caller. */
export const edgeHeaders = {
  /** The caller's address. API Gateway itself only sees a CloudFront address. */
  client: 'x-gateway-client',
  /** The host that the caller requested. The request to API Gateway carries the API's own host. */
  host: 'x-gateway-host',
  /** The origin secret. The web ACL refuses requests without it. */
  origin: 'x-gateway-origin',
} as const;
