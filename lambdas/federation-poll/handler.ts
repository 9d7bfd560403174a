import { controlPlane } from '#adapters/http/control-plane.ts';
import { eventHandler } from '../aws.ts';
import { createHandler, ofDeployment } from './event.ts';

export const handler = await eventHandler((ports) => createHandler(ports, ofDeployment(ports)), { controlPlane });
