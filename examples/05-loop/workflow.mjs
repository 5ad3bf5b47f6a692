// The same kind of definition, written with the typed builder. In TypeScript a transition to a node that is not there, or a
// second node of the same name, does not compile.
import { workflow } from 'heddle';

export const saveUp = workflow('save-up', {
  initialNode: 'deposit',
  inputSchema: {
    type: 'object',
    required: ['monthly', 'price'],
    properties: { monthly: { type: 'number' }, price: { type: 'number' } },
  },
})
  .node('deposit', {
    action: 'core.echo',
    inputMapping: { balance: 'state.?balance.orValue(0) + input.monthly' },
    outputMapping: { 'state.balance': 'result.balance', 'state.months': 'state.?months.orValue(0) + 1' },
  })
  .node('buy', {
    outputMapping: {
      'output.bought': 'true',
      'output.months': 'state.months',
      'output.rest': 'state.balance - input.price',
    },
  })
  .node('give-up', {
    outputMapping: { 'output.bought': 'false', 'output.missing': 'input.price - state.balance' },
  })
  .transition('deposit', 'buy', { priority: 1, condition: 'state.balance >= input.price' })
  .transition('deposit', 'deposit', { priority: 2, loop: { maxIterations: 11 } })
  .transition('deposit', 'give-up', { priority: 3 });
