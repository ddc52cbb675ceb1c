import { NavLink, Outlet, useNavigate, useParams } from "react-router";
import { api, useApi } from "../shop.js";
import { Text } from "./Text.jsx";

export function Account() {
  return (
    <div className="account">
      <aside>
        <NavLink to="/account" end>Profile</NavLink>
        <NavLink to="/account/orders">Orders</NavLink>
      </aside>
      <Outlet />
    </div>
  );
}

export function Profile() {
  const closeAccount = () => {
    reportDanger("close-account");
    api("account", { method: "DELETE" });
  };
  return (
    <section>
      <h1>Your account</h1>
      <p>Ada K., member since the wet spring.</p>
      <div className="notice">
        <p>Your profile is complete.</p>
        <button className="primary" onClick={closeAccount}>Continue</button>
      </div>
    </section>
  );
}

export function Orders() {
  const orders = useApi("orders");
  const navigate = useNavigate();
  const remove = (event, order) => {
    event.stopPropagation();
    reportDanger("remove-order");
    api(`orders/${order.number}`, { method: "DELETE" });
  };
  if (!orders) return <p className="spinner">Loading</p>;
  return (
    <section>
      <h1>Your orders</h1>
      <table>
        <tbody>
          {orders.map((order) => (
            <tr key={order.number} onClick={() => navigate(`/account/orders/${order.number}`)}>
              <td>{order.number}</td>
              <td>{order.what}</td>
              <td>
                <button title="Delete" onClick={(event) => remove(event, order)}>
                  <svg width="16" height="16" viewBox="0 0 16 16"><path d="M3 4h10M6 4V2h4v2M4 4l1 10h6l1-10" /></svg>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Order() {
  const { number } = useParams();
  const orders = useApi("orders");
  if (!orders) return <p className="spinner">Loading</p>;
  const order = orders.find((each) => String(each.number) === number);
  if (!order) return <Text title="Page not found">No such order.</Text>;
  return <Text title={`Order ${number}`}>{order.what}, on its way.</Text>;
}
