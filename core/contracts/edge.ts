/** Headers that CloudFront adds on the way to the APIs, where it stands before them: what a caller sent is replaced. */
export const edgeHeaders = {
  /** The caller's address; API Gateway itself sees one of CloudFront's. */
  client: 'x-gateway-client',
  /** The host that the caller asked for; the request to API Gateway names the API's own. */
  host: 'x-gateway-host',
  /** The origin secret: the web ACL refuses a call without it. */
  origin: 'x-gateway-origin',
} as const;
