// Nearest, for the rooms that know definitions.

export { findNearest } from '../base/nearest.ts';
