import { brokerClients } from '#adapters/aws/broker-clients.ts';
import { httpHandler } from '../aws.ts';
import { createHandler } from './http.ts';

export const handler = await httpHandler(createHandler, { brokerClients });
