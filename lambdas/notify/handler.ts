import { notificationClients } from '#adapters/http/notification-clients.ts';
import { eventHandler } from '../aws.ts';
import { createHandler } from './event.ts';

export const handler = await eventHandler(createHandler, { notificationClients });
