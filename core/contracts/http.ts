/** HTTP types of the handlers: the API Gateway proxy event on every host, and a reply that may be streamed. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

export interface HttpEvent extends APIGatewayProxyEvent {
  /** The raw body, which replaces `body` to avoid converting megabytes to a string and back. */
  readonly bytes?: Buffer;
}

export interface HttpReply {
  statusCode: number;
  headers: Record<string, string>;
  /** A string, or string chunks produced on demand (exports, reports). */
  body: string | AsyncIterable<string>;
  /** Set if the body is base64, as in responses to API Gateway. */
  isBase64Encoded?: true;
  /** Work that continues after the body has been sent. The host awaits it before freezing or ending. Never rejects. */
  finished?: Promise<void>;
}

export interface HttpContext {
  readonly awsRequestId: string;
  /** Aborts if the caller disconnects before the reply is complete. */
  readonly signal?: AbortSignal;
  /** Time at which the host ends the function (epoch milliseconds). Absent if there is no time limit. */
  readonly endsAtMs?: number;
}

export type HttpHandler = (event: HttpEvent, context: HttpContext) => Promise<HttpReply>;
