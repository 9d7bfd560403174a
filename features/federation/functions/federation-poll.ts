/** The function that polls the control plane on AWS. */
import { eventHandler } from '#lambdas/aws.ts';
import { controlPlane } from '../adapters/control-plane.ts';
import { createPoll, ofDeployment } from '../poll-handler.ts';

export const handler = await eventHandler((ports) => createPoll(ports, controlPlane, ofDeployment(ports)), {});
