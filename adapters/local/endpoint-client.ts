/** Client of a DynamoDB-compatible server that runs outside of this process (`DYNAMODB_ENDPOINT`). */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '../dynamodb/client.ts';

/** Its credentials mean nothing unless the environment has some. */
export const endpointClient = (endpoint: string): DynamoDBClient =>
  dynamoClient({
    endpoint,
    region: process.env.AWS_REGION ?? 'us-east-1',
    maxAttempts: 6,
    ...(process.env.AWS_ACCESS_KEY_ID ? {} : { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }),
  });
