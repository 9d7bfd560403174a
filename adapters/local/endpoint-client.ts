/** Client of a DynamoDB-compatible server outside this process (`DYNAMODB_ENDPOINT`). */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientBounds } from '../aws/client-bounds.ts';
import { dynamoClient } from '../aws/dynamodb/client.ts';

/**
 * Returns a client that fails a hanging call after nine seconds, so that the caller gets a 503 response
 * [cloud.store-client]. Its credentials are dummies unless the environment provides real ones.
 */
export const endpointClient = (endpoint: string): DynamoDBClient =>
  dynamoClient({
    endpoint,
    region: process.env.AWS_REGION ?? 'us-east-1',
    ...clientBounds(),
    ...(process.env.AWS_ACCESS_KEY_ID ? {} : { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }),
  });
