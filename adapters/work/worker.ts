/** A worker thread of heavy work: answers one job after the other. It is ended from outside if one is late. */
import { parentPort } from 'node:worker_threads';
import { done, type Job } from './jobs.ts';

parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await done(job)));
parentPort?.postMessage('ready');
