// The steps of the product: what its users build workflows from, beside the node types of Heddle. Each is a function, and says
// what an editor must know of it: its title, its settings, its handles.

import { setTimeout as sleep } from 'node:timers/promises';
import { defineNodeType } from 'heddle';

/** Stands for the database, and for the time that real work takes. */
const orders = [
  { id: 'A-17', items: 3, price: 20 },
  { id: 'A-18', items: 1, price: 250 },
  { id: 'A-21', items: 12, price: 4 },
];
const work = (signal) => sleep(300, undefined, { signal });

export const nodeTypes = {
  'orders.load': defineNodeType({
    title: 'Load orders',
    description: 'The open orders of a customer.',
    category: 'Orders',
    icon: 'inbox',
    sideEffects: false,
    inputs: { customer: { type: 'string', title: 'Customer', required: true } },
    outputs: { orders: { schema: { type: 'array' } } },
    async run({ signal }) {
      await work(signal);
      return { orders };
    },
  }),

  'orders.price': defineNodeType({
    title: 'Price an order',
    description: 'Items times price, less a discount.',
    category: 'Orders',
    icon: 'tag',
    sideEffects: false,
    inputs: {
      order: { title: 'Order', schema: { type: 'object' }, required: true },
      discount: { title: 'Discount', description: 'In percent.', schema: { type: 'number', maximum: 50 }, value: 0 },
    },
    outputs: { id: { type: 'string' }, total: { type: 'number' } },
    async run({ inputs: { order, discount }, signal }) {
      await work(signal);
      return { id: order.id, total: (order.items * order.price * (100 - discount)) / 100 };
    },
  }),

  'customers.rate': defineNodeType({
    title: 'Rate a customer',
    description: 'How risky a customer is, from 0 to 100 points.',
    category: 'Customers',
    icon: 'gauge',
    sideEffects: false,
    inputs: { customer: { type: 'string', title: 'Customer', required: true } },
    outputs: { points: { type: 'number' } },
    async run({ inputs: { customer }, signal }) {
      await work(signal);
      return { points: customer === 'Ada' ? 10 : 70 };
    },
  }),

  'mail.send': defineNodeType({
    title: 'Send mail',
    description: 'Sends a text to an address.',
    category: 'Mail',
    icon: 'mail',
    inputs: {
      to: { type: 'string', title: 'To', description: 'An address.', required: true },
      text: { type: 'string', title: 'Text', required: true },
    },
    outputs: { to: { type: 'string' }, text: { type: 'string' } },
    handles: ['sent', 'bounced'],
    async run({ inputs: { to, text }, signal }) {
      await work(signal);
      return { to, text, _branch: to.includes('@') ? 'sent' : 'bounced' };
    },
  }),
};
