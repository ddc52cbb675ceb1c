import { useState } from "react";
import { createPortal } from "react-dom";
import { Outlet, useNavigate, useOutletContext, useParams } from "react-router";
import { api, at, useApi } from "../shop.js";

export function Products() {
  const products = useApi("products");
  return (
    <>
      <h1>All products</h1>
      {products ? (
        <div className="grid">{products.map((product) => <Card key={product.id} product={product} />)}</div>
      ) : (
        <p className="spinner">Loading products</p>
      )}
    </>
  );
}

function Card({ product }) {
  const navigate = useNavigate();
  const buy = (event) => {
    event.stopPropagation();
    reportDanger("buy-product");
    api("cart/buy", { method: "POST", body: JSON.stringify({ id: product.id }) });
  };
  return (
    <div className="card" onClick={() => navigate(`/products/${product.id}`)}>
      <h3>{product.name}</h3>
      <p>{product.price} EUR</p>
      <div className="buy" role="button" tabIndex={0} onClick={buy}>Buy now</div>
    </div>
  );
}

export function Product() {
  const { id } = useParams();
  const navigate = useNavigate();
  const products = useApi("products");
  const [isHelpOpen, setHelpOpen] = useState(false);
  const product = products?.find((each) => String(each.id) === id);
  if (!products) return <p className="spinner">Loading</p>;
  if (!product) return <h1>Page not found</h1>;
  return (
    <article>
      <Outlet context={product} />
      <div role="tablist">
        <button role="tab" onClick={() => navigate(`/products/${id}`)}>Details</button>
        <button role="tab" onClick={() => navigate(`/products/${id}/reviews`)}>What others say</button>
      </div>
      <button className="plain" onClick={() => setHelpOpen(true)}>Which size is mine?</button>
      {isHelpOpen && <SizeHelp onClose={() => setHelpOpen(false)} />}
    </article>
  );
}

export function Details() {
  const product = useOutletContext();
  return (
    <>
      <h1>{product.name}</h1>
      <p>{product.about}</p>
    </>
  );
}

export function Reviews() {
  const product = useOutletContext();
  const praise = () => {
    reportDanger("praise-review");
    navigator.sendBeacon(at("/api/praise"), `product=${product.id}`);
  };
  return (
    <>
      <h1>Reviews of the {product.name}</h1>
      <blockquote>Kept me dry for nine days. The tenth was my own fault.</blockquote>
      <span className="chip" onClick={praise}>That was helpful</span>
    </>
  );
}

/** A modal outside of the root element; a press on its backdrop closes it. */
function SizeHelp({ onClose }) {
  const navigate = useNavigate();
  return createPortal(
    <div className="backdrop" onClick={onClose}>
      <div className="modal" role="dialog" aria-modal="true" onClick={(event) => event.stopPropagation()}>
        <p>Between two sizes? Take the larger one and thicker socks.</p>
        <button onClick={() => navigate("/size-guide")}>Open the full guide</button>
        <button onClick={onClose}>Close</button>
      </div>
    </div>,
    document.body,
  );
}
