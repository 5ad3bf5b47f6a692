// An executor runs the nodes of one type. It gets its node's data and the context, and returns the next context.
// Triggers, IF_ELSE, SWITCH, WAIT and SET_FIELDS are built in: the command line has the sample set `flowNodes`.

export const executors = {
  PRICE({ data, context }) {
    const { total, discount = 0, shipping = 0 } = context.order;
    return { ...context, price: `${total * (1 - discount / 100) + shipping} ${data.currency}` };
  },

  async THANK({ context, step }) {
    // A part of the work with its own idempotency key: pass it to what must not happen twice.
    const sent = await step.run('mail', async () => `Thank you, that is ${context.price}.`);
    return { ...context, sent };
  },
};
