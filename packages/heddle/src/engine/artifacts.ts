// Artifacts of an engine: for the program that it is embedded in, which may read what every run has put.

import { everyRun, getAnyArtifact, pageArtifacts, putArtifact } from '../actor/artifacts.ts';
import { limitOrigin } from '../definition/limits.ts';
import { askedPage } from '../operations/pages.ts';
import { type Performers, sentArtifact } from './performer.ts';

export const artifactPerformers: Performers<'putArtifact' | 'listArtifacts' | 'getArtifact'> = {
  putArtifact({ host }, _, call) {
    const { store, limits } = host;
    const { bytes, mimeType } = sentArtifact(call);
    return putArtifact(store, bytes, {
      owner: everyRun,
      mimeType,
      bytesMax: limits.artifactBytesMax,
      limitOrigin: limitOrigin('artifactBytesMax', { limits }),
    });
  },

  listArtifacts({ host }, paging) {
    return askedPage(
      paging,
      (page) => pageArtifacts(host.store, everyRun, page),
      ({ id }) => id,
    );
  },

  getArtifact({ host }, reference) {
    return getAnyArtifact(host.store, reference);
  },
};
