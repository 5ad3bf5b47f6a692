import { describeStore } from '../store.testsuite.ts';
import { testFleets } from './fleet.testsuite.ts';
import { freshShards } from './fresh-shard.testsuite.ts';

const { many } = testFleets();

describeStore('PostgreSQL', freshShards(many));
