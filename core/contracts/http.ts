/** HTTP as the handlers see it: the API Gateway proxy event on every host, a reply whose body may stream. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

export interface HttpEvent extends APIGatewayProxyEvent {
  /** The body as a host has it: megabytes are not turned into text and back. */
  readonly bytes?: Buffer;
}

export interface HttpReply {
  statusCode: number;
  headers: Record<string, string>;
  /** Text, or chunks of text produced as they are read (exports, reports). */
  body: string | AsyncIterable<string>;
  /** The text is bytes in base64, as in answers to API Gateway. */
  isBase64Encoded?: true;
  /** Work that goes on after the body: a host waits for it before it freezes or ends. Never rejects. */
  finished?: Promise<void>;
}

export interface HttpContext {
  readonly awsRequestId: string;
  /** Aborts when the caller goes away before the reply has ended. */
  readonly signal?: AbortSignal;
  /** When the host ends the function (epoch milliseconds); absent where nothing does. */
  readonly endsAtMs?: number;
}

export type HttpHandler = (event: HttpEvent, context: HttpContext) => Promise<HttpReply>;
