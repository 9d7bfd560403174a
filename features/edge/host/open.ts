/** Opens the edge for the gateway on this machine. */
import type { OpenLocalEdge } from '../../feature.ts';
import { keptCertificate, ownCertificate } from './certificate.ts';
import { startEdge } from './edge.ts';

export const openEdge: OpenLocalEdge = async ({ stateFolder, ownCertificate: own, ...options }) => {
  const { host, clock } = options;
  const certificate = own ? await ownCertificate(own) : await keptCertificate(stateFolder, host, clock.now());
  const edge = await startEdge({ ...options, certificate });
  return { ...edge, certificateFile: certificate.certFile };
};
