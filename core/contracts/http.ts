/** HTTP as the doors see it: the API Gateway proxy event on every host, a reply whose body may stream. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

export type HttpEvent = APIGatewayProxyEvent;

export interface HttpReply {
  statusCode: number;
  headers: Record<string, string>;
  /** Text, or chunks of text produced as they are read (exports, reports). */
  body: string | AsyncIterable<string>;
}

export type HttpHandler = (event: HttpEvent, context: { awsRequestId: string }) => Promise<HttpReply>;
